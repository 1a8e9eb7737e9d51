// Package telephonytest is for tests of Pulumi programs that use telephony: an account on this machine with stacks
// through the Automation API, and mocks that fill outputs as the service would.
//
// It runs the npm package pulumi-telephony with Node.js: install that beside the program, or name its bin/telephony in
// TELEPHONY_CLI.
package telephonytest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Account is an emulated account in memory. It is closed when its test ends. Its methods fail the test if what they
// ask for can't be done.
type Account struct {
	// URL is the base URL of its service, with /v1.
	URL    string
	APIKey string
	t      testing.TB
}

// NewAccount starts an account. Options are those of `telephony emulator`, such as "--kyc", "immediate".
func NewAccount(t testing.TB, options ...string) *Account {
	t.Helper()
	args := append([]string{"emulator", "--memory", "--port", "0"}, options...)
	line := start(t, "telephony", nil, args...)
	return &Account{URL: strings.Fields(line)[2], APIKey: "emulator-key", t: t}
}

// Environment has the variables by which programs, providers and commands find the account. Empty ones count as not set.
func (a *Account) Environment() map[string]string {
	return map[string]string{
		"TELEPHONY_API_KEY":    a.APIKey,
		"TELEPHONY_BASE_URL":   a.URL,
		"TELEPHONY_ALLOW_HTTP": "", "TELEPHONY_FEATURES": "", "TELEPHONY_SERVICE": "",
		"PATH": filepath.Dir(cli(a.t)) + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}

// Control is one call of the control API: Control("POST", "kyc", map[string]any{"policy": "immediate"}).
func (a *Account) Control(method, path string, body any) map[string]any {
	a.t.Helper()
	sent, err := json.Marshal(body)
	must(a.t, err)
	if body == nil {
		sent = nil
	}
	request, err := http.NewRequest(method, strings.TrimSuffix(a.URL, "/v1")+"/_emulator/"+path, bytes.NewReader(sent))
	must(a.t, err)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	must(a.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(a.t, err)
	if answer.StatusCode >= 300 {
		a.t.Fatalf("%s %s: %s", method, path, text)
	}
	values := map[string]any{}
	if len(text) > 0 {
		must(a.t, json.Unmarshal(text, &values))
	}
	return values
}

// Rows has the objects of a kind, in the service's words: numbers, trunks, webhooks, kycProfiles or portOrders.
func (a *Account) Rows(kind string) []map[string]any {
	return rowsIn(a.Control("GET", "state", nil)[kind])
}

// Ledger is what was bought, released and refused so far, the first first.
func (a *Account) Ledger() []map[string]any { return rowsIn(a.Control("GET", "ledger", nil)["data"]) }

// Edit changes an object as in the dashboard: Edit(id, map[string]any{"capacity": 7}).
func (a *Account) Edit(id string, changes map[string]any) {
	a.t.Helper()
	a.Control("PATCH", a.path(id), changes)
}

// Remove releases a number, or deletes an object, as in the dashboard.
func (a *Account) Remove(id string) {
	a.t.Helper()
	a.Control("DELETE", a.path(id), nil)
}

// Decide decides on the identity checks of a number or a KYC profile: approve, reject or expire.
func (a *Account) Decide(id, decision string) {
	a.t.Helper()
	path := a.path(id)
	if strings.HasPrefix(path, "numbers/") {
		path += "/kyc"
	}
	a.Control("POST", path, map[string]any{"decision": decision})
}

// Advance moves the time on by a duration such as 10m or 2h, and waits until what is due then is done.
func (a *Account) Advance(duration string) {
	a.t.Helper()
	a.Control("POST", "clock", map[string]any{"advance": duration})
	a.Control("POST", "settled", nil)
}

func (a *Account) path(id string) string {
	a.t.Helper()
	paths := map[string]string{"numbers": "numbers/", "trunks": "trunks/", "webhooks": "webhooks/",
		"kycProfiles": "kyc/profiles/", "portOrders": "port_orders/"}
	state := a.Control("GET", "state", nil)
	for kind, path := range paths {
		for _, row := range rowsIn(state[kind]) {
			if row["id"] == id {
				return path + id
			}
		}
	}
	a.t.Fatalf("there is no %s on the account", id)
	return ""
}

// Stack makes a stack of the program in workDir on this account, with a state of its own.
func (a *Account) Stack(workDir string) auto.Stack {
	a.t.Helper()
	name := "test-" + token(a.t)
	a.t.Cleanup(func() { os.Remove(filepath.Join(workDir, "Pulumi."+name+".yaml")) })
	stack, err := auto.NewStackLocalSource(context.Background(), name, workDir, auto.EnvVars(a.stackEnvironment()))
	must(a.t, err)
	return stack
}

// InlineStack makes a stack of a function of this process, as Stack does.
func (a *Account) InlineStack(program pulumi.RunFunc) auto.Stack {
	a.t.Helper()
	env := auto.EnvVars(a.stackEnvironment())
	stack, err := auto.NewStackInlineSource(context.Background(), "test-"+token(a.t), "telephony-test", program, env)
	must(a.t, err)
	a.t.Cleanup(func() { os.RemoveAll(stack.Workspace().WorkDir()) })
	return stack
}

func (a *Account) stackEnvironment() map[string]string {
	env := a.Environment()
	env["PULUMI_BACKEND_URL"] = "file://" + filepath.ToSlash(a.t.TempDir())
	env["PULUMI_CONFIG_PASSPHRASE"] = "test"
	env["PULUMI_CONFIG_PASSPHRASE_FILE"] = ""
	env["PULUMI_SKIP_UPDATE_CHECK"] = "true"
	return env
}

// Drift is the JSON of `telephony drift`: what others have changed. It changes nothing.
func (a *Account) Drift(stack auto.Stack) map[string]any {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "drift.json")
	workspace := stack.Workspace()
	command := exec.Command("node", cli(a.t), "drift", "--cwd", workspace.WorkDir(), "--stack", stack.Name(), "--output", file)
	command.Env = environ(workspace.GetEnvVars())
	printed, _ := command.CombinedOutput()
	text, err := os.ReadFile(file)
	if err != nil {
		a.t.Fatalf("telephony drift could not find out what has changed:\n%s", printed)
	}
	report := map[string]any{}
	must(a.t, json.Unmarshal(text, &report))
	return report
}

func rowsIn(list any) []map[string]any {
	rows := []map[string]any{}
	items, _ := list.([]any)
	for _, item := range items {
		rows = append(rows, item.(map[string]any))
	}
	return rows
}

// cli is the telephony command of the npm package: TELEPHONY_CLI, or the one beside the program.
func cli(t testing.TB) string {
	t.Helper()
	candidates := []string{}
	if named := os.Getenv("TELEPHONY_CLI"); named != "" {
		candidates = append(candidates, named)
	}
	folder, err := os.Getwd()
	must(t, err)
	for ; ; folder = filepath.Dir(folder) {
		candidates = append(candidates, filepath.Join(folder, "node_modules", "pulumi-telephony", "bin", "telephony"))
		if folder == filepath.Dir(folder) {
			break
		}
	}
	for _, path := range candidates {
		if found, err := filepath.EvalSymlinks(path); err == nil {
			return found
		}
	}
	t.Fatal("the npm package pulumi-telephony isn't here: run `npm install --save-dev pulumi-telephony` beside the program, or name its bin/telephony in TELEPHONY_CLI")
	return ""
}

// start runs a command of the npm package until the test ends, and returns its first line.
func start(t testing.TB, name string, env map[string]string, args ...string) string {
	t.Helper()
	command := exec.Command("node", append([]string{filepath.Join(filepath.Dir(cli(t)), name)}, args...)...)
	command.Env, command.Stderr = environ(env), os.Stderr
	stdout, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line)
}

func environ(more map[string]string) []string {
	env := os.Environ()
	for name, value := range more {
		env = append(env, fmt.Sprintf("%s=%s", name, value))
	}
	return env
}

func token(t testing.TB) string {
	bytes := make([]byte, 4)
	_, err := rand.Read(bytes)
	must(t, err)
	return hex.EncodeToString(bytes)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
