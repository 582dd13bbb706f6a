{{/* What runs: the exporter, and a steward for each group. All templates go through this list. */}}
{{- define "equilag.workloads" -}}
{{- $names := list -}}
workloads:
{{- with .Values.exporter }}
{{- if .enabled }}
  - name: {{ $.Release.Name }}-exporter
    component: exporter
    args: {{ concat (list "exporter" (printf "--groups=%s" .groups) "--listen=0.0.0.0:9479") (.options | default list) | toJson }}
    port: 9479
    live: /healthz
    ready: /readyz
    replicas: 1
    resources: {{ toJson .resources }}
{{- end }}
{{- end }}
{{- range .Values.stewards }}
{{- $name := printf "%s-%s" $.Release.Name (regexReplaceAll "[^a-z0-9]+" (lower .group) "-") | trunc 52 | trimSuffix "-" }}
{{- if or (has $name $names) (eq $name (printf "%s-exporter" $.Release.Name)) }}
{{- fail (printf "stewards: %q would have the name %s, which is taken" .group $name) }}
{{- end }}
{{- $names = append $names $name }}
  - name: {{ $name }}
    component: steward
    args: {{ concat (list "steward" (printf "--group=%s" .group) "--state=/var/lib/equilag/state.json" "--listen=0.0.0.0:9478") (.options | default list) | toJson }}
    port: 9478
    # Away brokers are no reason to restart it: it reads again as soon as they are back.
    live: /status
    ready: /healthz
    replicas: {{ $.Values.stewardReplicas }}
    resources: {{ toJson $.Values.stewardResources }}
{{- end }}
{{- end }}

{{- define "equilag.selector" -}}
app.kubernetes.io/name: equilag
app.kubernetes.io/instance: {{ .name }}
{{- end }}

{{- define "equilag.labels" -}}
{{ include "equilag.selector" . }}
app.kubernetes.io/component: {{ .component }}
{{- end }}
