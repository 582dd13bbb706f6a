package main

import (
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// call is one call of an assignor: its answer, and the time of the assignment alone and of the way
// from names to its input and back.
type call struct {
	assignment names
	assigning  time.Duration
	naming     time.Duration
}

// measureCall calls the balancer as a client that leads the group does: every member's metadata are
// made by the balancer, and parsed by it; then it balances.
func measureCall(balancer kgo.GroupBalancer, group *caseFile) (call, error) {
	start := time.Now()
	input, err := inputOf(balancer, group)
	if err != nil {
		return call{}, err
	}
	topics := make(map[string]int32, len(group.Topics))
	for topic, size := range group.Topics {
		topics[topic] = size
	}
	naming := time.Since(start)

	fmt.Println("call")
	start = time.Now()
	output, err := input.BalanceOrError(topics)
	assigning := time.Since(start)
	fmt.Println("end")
	if err != nil {
		return call{}, err
	}

	start = time.Now()
	plan, ok := output.(*kgo.BalancePlan)
	if !ok {
		return call{}, fmt.Errorf("the balancer gave a %T", output)
	}
	assignment := names(plan.AsMemberIDMap())
	return call{assignment, assigning, naming + time.Since(start)}, nil
}

func inputOf(balancer kgo.GroupBalancer, group *caseFile) (kgo.GroupMemberBalancerOrError, error) {
	members := make([]kmsg.JoinGroupResponseMember, len(group.Members))
	for i, m := range group.Members {
		generation := int32(-1)
		if len(m.Owned) > 0 {
			generation = group.Generation
		}
		topics := slices.Clone(group.Subscriptions[m.Subscription])
		members[i] = kmsg.NewJoinGroupResponseMember()
		members[i].MemberID = m.ID
		metadata, err := withRack(balancer.JoinGroupMetadata(topics, m.Owned, generation), m.Rack)
		if err != nil {
			return nil, err
		}
		members[i].ProtocolMetadata = metadata
	}
	made, _, err := balancer.MemberBalancer(members)
	if err != nil {
		return nil, err
	}
	input, ok := made.(kgo.GroupMemberBalancerOrError)
	if !ok {
		return nil, fmt.Errorf("the balancer made a %T", made)
	}
	if racks := group.leaderRacks(); racks != nil {
		return input, giveRacks(made, racks)
	}
	return input, nil
}

// withRack puts the rack into a member's metadata, as a client with the option Rack does.
func withRack(metadata []byte, rack string) ([]byte, error) {
	if rack == "" {
		return metadata, nil
	}
	var parsed kmsg.ConsumerMemberMetadata
	if err := parsed.ReadFrom(metadata); err != nil {
		return nil, err
	}
	parsed.Rack = &rack
	return parsed.AppendTo(nil), nil
}

// giveRacks tells the balancer the leaders' racks, as a client with the option BalanceRacks does. It
// takes them from its metadata and puts them into fields that are not exported, so this does too.
func giveRacks(made kgo.GroupMemberBalancer, racks map[string][]string) error {
	balancer, ok := made.(*kgo.ConsumerBalancer)
	if !ok {
		return fmt.Errorf("a %T takes no racks", made)
	}
	fields := reflect.ValueOf(balancer).Elem()
	for name, value := range map[string]any{"partitionRacks": racks, "balanceRacks": true} {
		field := fields.FieldByName(name)
		if !field.IsValid() || field.Type() != reflect.TypeOf(value) {
			return fmt.Errorf("this version has no field %s", name)
		}
		reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
	}
	return nil
}
