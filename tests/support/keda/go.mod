module equilag.example/keda

go 1.26.0

// A copy with this scaler alone: all of them need thousands of packages.
replace github.com/kedacore/keda/v2 => ./keda

replace github.com/nexus-rpc/nexus-proto-annotations v0.1.0 => github.com/nexus-rpc/nexus-proto-annotations v0.1.1-0.20260629224316-835bd8d49cb4

require github.com/kedacore/keda/v2 v2.21.0
