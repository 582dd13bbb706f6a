package main

import (
	"encoding/json"
	"os"
)

// names is member to topic to partition numbers.
type names map[string]map[string][]int32

// caseFile is a group in plain names, as benchmarks/assignors/exchange.py writes it.
type caseFile struct {
	Topics        map[string]int32      `json:"topics"`
	Subscriptions [][]string            `json:"subscriptions"`
	Members       []member              `json:"members"`
	Generation    int32                 `json:"generation"`
	Racks         map[string][][]string `json:"racks"` // of replicas, the leader's first
}

type member struct {
	ID           string             `json:"id"`
	Subscription int                `json:"subscription"` // index into the case's subscriptions
	Owned        map[string][]int32 `json:"owned"`
	Rack         string             `json:"rack"` // empty where the member has none
}

func readCase(path string) (*caseFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var group caseFile
	return &group, json.Unmarshal(text, &group)
}

// owning is the same group after a rebalance: everybody owns what the assignment says.
func (c *caseFile) owning(assignment names) *caseFile {
	members := make([]member, len(c.Members))
	for i, m := range c.Members {
		members[i] = member{m.ID, m.Subscription, assignment[m.ID], m.Rack}
	}
	return &caseFile{c.Topics, c.Subscriptions, members, c.Generation + 1, c.Racks}
}

// leaderRacks is, for each topic, the rack of each partition's leader; nil where none is known.
func (c *caseFile) leaderRacks() map[string][]string {
	if c.Racks == nil {
		return nil
	}
	found := make(map[string][]string, len(c.Racks))
	for topic, partitions := range c.Racks {
		racks := make([]string, len(partitions))
		for number, replicas := range partitions {
			if len(replicas) > 0 {
				racks[number] = replicas[0]
			}
		}
		found[topic] = racks
	}
	return found
}

// missing tells whether a partition that has a reader is with nobody.
func (c *caseFile) missing(assignment names) bool {
	read := map[string]struct{}{}
	for subscription := range c.used() {
		for _, topic := range c.Subscriptions[subscription] {
			read[topic] = struct{}{}
		}
	}
	open := 0
	for topic := range read {
		open += int(c.Topics[topic])
	}
	for _, topics := range assignment {
		for _, numbers := range topics {
			open -= len(numbers)
		}
	}
	return open > 0
}

func (c *caseFile) used() map[int]struct{} {
	used := map[int]struct{}{}
	for _, m := range c.Members {
		used[m.Subscription] = struct{}{}
	}
	return used
}
