// Asks KEDA's own metrics-api scaler for what it would scale by.
//
// Reads the trigger's metadata as JSON from standard input. Prints the target of each metric, its
// type, the value, and whether the trigger is active, as JSON; or ends with 1 and the error.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	v2 "k8s.io/api/autoscaling/v2"

	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
)

type answer struct {
	Type   string  `json:"type"`
	Target float64 `json:"target"`
	Value  float64 `json:"value"`
	Active bool    `json:"active"`
}

func ask() (answer, error) {
	config := scalersconfig.ScalerConfig{
		GlobalHTTPTimeout: 10 * time.Second,
		TriggerType:       "metrics-api",
		MetricType:        v2.AverageValueMetricType,
	}
	if err := json.NewDecoder(os.Stdin).Decode(&config.TriggerMetadata); err != nil {
		return answer{}, err
	}
	scaler, err := scalers.NewMetricsAPIScaler(&config, nil)
	if err != nil {
		return answer{}, err
	}
	ctx := context.Background()
	defer scaler.Close(ctx)
	spec := scaler.GetMetricSpecForScaling(ctx)[0].External
	values, active, err := scaler.GetMetricsAndActivity(ctx, spec.Metric.Name)
	if err != nil {
		return answer{}, err
	}
	return answer{
		Type:   string(spec.Target.Type),
		Target: spec.Target.AverageValue.AsApproximateFloat64(),
		Value:  values[0].Value.AsApproximateFloat64(),
		Active: active,
	}, nil
}

func main() {
	found, err := ask()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
