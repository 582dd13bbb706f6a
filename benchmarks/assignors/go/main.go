// Measures one assignor of franz-go on one case: runner CASE ASSIGNOR OUT WARM_S MEASURE_S.
//
// It prints "call" before each call and "end" after it, so that who started it can end a call that
// takes too long. The rules of measuring are those of benchmarks/assignors/exchange.py.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	mostCalls   = 200
	fewestCalls = 3
	slow        = 5 * time.Second
	mostRounds  = 5
	library     = "github.com/twmb/franz-go"
)

type answer struct {
	AssignMs   []float64      `json:"assign_ms"`
	NamesMs    []float64      `json:"names_ms"`
	WarmUp     int            `json:"warm_up"`
	PeakMib    *float64       `json:"peak_mib"`
	Extra      map[string]any `json:"extra"`
	Assignment names          `json:"assignment"`
	Version    string         `json:"version"`
}

type failure struct {
	Error   string `json:"error"`
	Version string `json:"version"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 5 {
		return fmt.Errorf("usage: runner CASE ASSIGNOR OUT WARM_S MEASURE_S")
	}
	warm, err := seconds(arguments[3])
	if err != nil {
		return err
	}
	measure, err := seconds(arguments[4])
	if err != nil {
		return err
	}
	group, err := readCase(arguments[0])
	if err != nil {
		return err
	}
	var document any
	if found, err := measured(group, arguments[1], warm, measure); err != nil {
		document = failure{err.Error(), version()}
	} else {
		document = found
	}
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return os.WriteFile(arguments[2], text, 0o644)
}

func seconds(text string) (time.Duration, error) {
	value, err := strconv.ParseFloat(text, 64)
	return time.Duration(value * float64(time.Second)), err
}

func measured(group *caseFile, name string, warm, measure time.Duration) (*answer, error) {
	balancer, err := balancerOf(name)
	if err != nil {
		return nil, err
	}
	result := &answer{Version: version()}
	var last call

	// Calls that do not count; one that is slow does count, and is the only one.
	for start := time.Now(); result.WarmUp == 0 ||
		result.WarmUp < mostCalls && time.Since(start) < warm; result.WarmUp++ {
		if last, err = measureCall(balancer, group); err != nil {
			return nil, err
		}
		if last.assigning > slow {
			result.add(last)
			break
		}
	}
	for start := time.Now(); result.more(time.Since(start) < measure); {
		if last, err = measureCall(balancer, group); err != nil {
			return nil, err
		}
		result.add(last)
	}
	roundMs := []float64{milliseconds(last.assigning)}
	for balancer.IsCooperative() && len(roundMs) < mostRounds && group.missing(last.assignment) {
		group = group.owning(last.assignment)
		if last, err = measureCall(balancer, group); err != nil {
			return nil, err
		}
		roundMs = append(roundMs, milliseconds(last.assigning))
	}
	result.Extra = map[string]any{"rounds": len(roundMs), "round_ms": roundMs}
	result.Assignment = last.assignment
	result.PeakMib = peakMib()
	return result, nil
}

func (a *answer) add(c call) {
	a.AssignMs = append(a.AssignMs, milliseconds(c.assigning))
	a.NamesMs = append(a.NamesMs, milliseconds(c.naming))
}

func (a *answer) more(inTime bool) bool {
	calls := len(a.AssignMs)
	if calls == 0 {
		return true
	}
	quick := a.AssignMs[calls-1] <= milliseconds(slow)
	return calls < mostCalls && quick && (inTime || calls < fewestCalls)
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}

func balancerOf(name string) (kgo.GroupBalancer, error) {
	switch name {
	case "franz-go-range":
		return kgo.RangeBalancer(), nil
	case "franz-go-sticky":
		return kgo.StickyBalancer(), nil
	case "franz-go-cooperative-sticky":
		return kgo.CooperativeStickyBalancer(), nil
	}
	return nil, fmt.Errorf("unknown assignor %s", name)
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == library {
				return "franz-go " + module.Version
			}
		}
	}
	return "franz-go"
}

// peakMib is the most resident memory of this process so far, or nil where the system does not say.
func peakMib() *float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			if kib, err := strconv.ParseFloat(fields[1], 64); err == nil {
				mib := kib / 1024
				return &mib
			}
		}
	}
	return nil
}
