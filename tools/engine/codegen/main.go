// Command codegen writes the SDKs of all languages, and what an import of the given objects prints:
// codegen SCHEMA OBJECTS FOLDER. `npm run generate` runs it.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "the Pulumi SDK Generator"

func main() {
	var spec schema.PackageSpec
	must(json.Unmarshal(must1(os.ReadFile(os.Args[1])), &spec))
	bound := func() *schema.Package {
		return must1(schema.ImportSpec(spec, nil, schema.NewNullLoader(), schema.ValidationOptions{}))
	}
	sdks := map[string]map[string][]byte{
		"nodejs": must1(nodejs.GeneratePackage(tool, bound(), nil, nil, false, nil)),
		"python": must1(python.GeneratePackage(tool, bound(), nil, nil)),
		"go":     must1(golang.GeneratePackage(tool, bound(), nil)),
	}
	for language, files := range sdks {
		for name, content := range files {
			file := filepath.Join(os.Args[3], language, name)
			must(os.MkdirAll(filepath.Dir(file), 0o755))
			must(os.WriteFile(file, content, 0o644))
		}
	}
	writeImported(bound(), os.Args[2], filepath.Join(os.Args[3], "imported"))
}

func must1[T any](value T, err error) T {
	must(err)
	return value
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
