package main

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"pulumi-telephony.example/pulumi-telephony/sdk/go-testing/telephonytest"
)

func TestTheDeskHasANumberInAmsterdamWhichRingsOnTheTrunk(t *testing.T) {
	mocks := telephonytest.NewMocks(t)
	if err := pulumi.RunErr(program, pulumi.WithMocks("project", "stack", mocks)); err != nil {
		t.Fatal(err)
	}
	byName := map[string]telephonytest.MockedResource{}
	for _, each := range mocks.Resources() {
		byName[each.Name] = each
	}
	if number := byName["desk"].Outputs["phoneNumber"].StringValue(); !strings.HasPrefix(number, "+3120") {
		t.Errorf("the number is %s", number)
	}
	if to := byName["desk"].Inputs["routing"].ObjectValue()["trunkId"].StringValue(); to != byName["office"].ID {
		t.Errorf("it rings on %s", to)
	}
}

func TestTheStackGoesUpShowsWhatOthersChangeAndIsDestroyed(t *testing.T) {
	account := telephonytest.NewAccount(t)
	stack := account.Stack(".")
	if _, err := stack.Up(context.Background()); err != nil {
		t.Fatal(err)
	}
	account.Edit(account.Rows("trunks")[0]["id"].(string), map[string]any{"capacity": 7})
	if drifted := account.Drift(stack)["drifted"]; drifted != 1.0 {
		t.Errorf("%v resources have drifted", drifted)
	}
	if _, err := stack.Destroy(context.Background()); err != nil {
		t.Fatal(err)
	}
	kinds := []any{}
	for _, entry := range account.Ledger() {
		kinds = append(kinds, entry["kind"])
	}
	if !reflect.DeepEqual(kinds, []any{"purchase", "release"}) {
		t.Errorf("the ledger has %v", kinds)
	}
}
