package telephonytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// MockedResource is what a program has registered. Properties have the names of the schema, such as smsWebhookUrl.
type MockedResource struct {
	// Type is such as SipTrunk; the full token if it isn't a telephony resource.
	Type, Name, ID  string
	Inputs, Outputs resource.PropertyMap
}

// Mocks are for pulumi.WithMocks. They are no second truth: the plugin itself checks and fills, on an account of the
// test's own. All resources of other packages get their inputs back.
type Mocks struct {
	Account *Account
	plugin  pulumirpc.ResourceProviderClient
	mutex   sync.Mutex
	count   int
	made    []MockedResource
}

// NewMocks starts them. A number in a regulated market stays pending, unless an option of the account says otherwise.
func NewMocks(t testing.TB, options ...string) *Mocks {
	t.Helper()
	account := NewAccount(t, options...)
	env := account.Environment()
	env["PULUMI_BACKEND_URL"] = "https://mocks.example"
	port := start(t, "pulumi-resource-telephony", env)
	connection, err := grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { connection.Close() })
	mocks := &Mocks{Account: account, plugin: pulumirpc.NewResourceProviderClient(connection)}
	_, err = mocks.plugin.Configure(context.Background(), &pulumirpc.ConfigureRequest{AcceptSecrets: true})
	must(t, err)
	return mocks
}

// Resources are what was registered or looked up so far.
func (m *Mocks) Resources() []MockedResource {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return append([]MockedResource{}, m.made...)
}

// NewResource is called by Pulumi.
func (m *Mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	kind, isOurs := strings.CutPrefix(args.TypeToken, "telephony:index:")
	id, outputs := args.ID, args.Inputs
	if !isOurs {
		kind = args.TypeToken
		if id == "" {
			id = args.Name + "_id"
		}
	} else {
		state, err := m.resource(args)
		if err != nil {
			return "", nil, err
		}
		if outputs, err = opened(state.properties); err != nil {
			return "", nil, err
		}
		id = state.id
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.made = append(m.made, MockedResource{kind, args.Name, id, args.Inputs, outputs})
	return id, outputs, nil
}

type made struct {
	id         string
	properties *structpb.Struct
}

func (m *Mocks) resource(args pulumi.MockResourceArgs) (made, error) {
	// Two components may have resources of one name. The mocks aren't told the parent.
	m.mutex.Lock()
	urn := fmt.Sprintf("urn:pulumi:stack::project::mocks:index:Resource%d$%s::%s", m.count, args.TypeToken, args.Name)
	m.count++
	m.mutex.Unlock()
	given, err := sealed(args.Inputs)
	if err != nil {
		return made{}, err
	}
	ctx := context.Background()
	if args.ID != "" {
		found, err := m.plugin.Read(ctx, &pulumirpc.ReadRequest{Id: args.ID, Urn: urn, Properties: given})
		return made{found.GetId(), found.GetProperties()}, err
	}
	checked, err := m.plugin.Check(ctx, &pulumirpc.CheckRequest{Urn: urn, News: given})
	if err != nil {
		return made{}, err
	}
	if err := refused(checked.GetFailures()); err != nil {
		return made{}, err
	}
	inputs, waits := checked.GetInputs(), map[string]*structpb.Value{}
	// They ask up to wait, and a test waits for nothing.
	for _, key := range []string{"waitForApproval", "waitForCompletion"} {
		if value, isThere := inputs.Fields[key]; isThere {
			waits[key], inputs.Fields[key] = value, structpb.NewBoolValue(false)
		}
	}
	created, err := m.plugin.Create(ctx, &pulumirpc.CreateRequest{Urn: urn, Properties: inputs, Timeout: 0.001})
	if err != nil {
		return saved(err)
	}
	for key, value := range waits {
		created.GetProperties().Fields[key] = value
	}
	return made{created.GetId(), created.GetProperties()}, nil
}

// Call is called by Pulumi.
func (m *Mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	if !strings.HasPrefix(args.Token, "telephony:") {
		return resource.PropertyMap{}, nil
	}
	given, err := sealed(args.Args)
	if err != nil {
		return nil, err
	}
	answer, err := m.plugin.Invoke(context.Background(), &pulumirpc.InvokeRequest{Tok: args.Token, Args: given})
	if err != nil {
		return nil, err
	}
	if err := refused(answer.GetFailures()); err != nil {
		return nil, err
	}
	return opened(answer.GetReturn())
}

// saved is what exists, and isn't as wanted yet: such as a number that is pending.
func saved(err error) (made, error) {
	for _, detail := range status.Convert(err).Details() {
		if failed, isFailed := detail.(*pulumirpc.ErrorResourceInitFailed); isFailed {
			return made{failed.GetId(), failed.GetProperties()}, nil
		}
	}
	return made{}, err
}

func refused(failures []*pulumirpc.CheckFailure) error {
	reasons := []error{}
	for _, failure := range failures {
		reasons = append(reasons, errors.New(strings.TrimPrefix(failure.GetProperty()+": "+failure.GetReason(), ": ")))
	}
	return errors.Join(reasons...)
}

func sealed(values resource.PropertyMap) (*structpb.Struct, error) {
	return plugin.MarshalProperties(values, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
}

func opened(values *structpb.Struct) (resource.PropertyMap, error) {
	return plugin.UnmarshalProperties(values, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true})
}
