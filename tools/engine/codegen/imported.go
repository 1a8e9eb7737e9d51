package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/importer"
	pkgresource "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

type generator = func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)

// writeImported writes the code that `pulumi import` prints for the objects of a file, in each language whose code a
// language host prints. The hosts that we can build are too old for that.
func writeImported(pkg *schema.Package, from, folder string) {
	var objects []struct {
		Type, Name, ID string
		Inputs         map[string]any
	}
	must(json.Unmarshal(must1(os.ReadFile(from)), &objects))
	provider := &pkgresource.State{
		Type: "pulumi:providers:telephony",
		URN:  "urn:pulumi:dev::imported::pulumi:providers:telephony::default",
		ID:   "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
	}
	states := []*pkgresource.State{}
	for _, each := range objects {
		inputs := resource.NewPropertyMapFromMap(each.Inputs)
		states = append(states, &pkgresource.State{
			Type:     tokens.Type(each.Type),
			URN:      resource.NewURN("dev", "imported", "", tokens.Type(each.Type), each.Name),
			Custom:   true,
			ID:       resource.ID(each.ID),
			Inputs:   inputs,
			Outputs:  inputs,
			Provider: string(provider.URN) + "::" + string(provider.ID),
		})
	}
	must(os.MkdirAll(folder, 0o755))
	for _, generate := range []generator{nodejs.GenerateProgram, python.GenerateProgram, golang.GenerateProgram} {
		must(importer.GenerateLanguageDefinitions(io.Discard, only{pkg}, func(_ io.Writer, program *pcl.Program) error {
			files, diagnostics, err := generate(program)
			if diagnostics.HasErrors() {
				return diagnostics
			}
			for name, content := range files {
				must(os.WriteFile(filepath.Join(folder, name), content, 0o644))
			}
			return err
		}, states, []*pkgresource.State{provider}, importer.NameTable{}))
	}
}

// only loads the one package that there is.
type only struct{ pkg *schema.Package }

func (l only) LoadPackage(string, *semver.Version) (*schema.Package, error) { return l.pkg, nil }

func (l only) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return l.pkg, nil
}

func (l only) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func (l only) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}
