// go-redis' FailoverClient over Sentinels: `use` prints what it got, `work` writes on.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"gopkg.in/redis.v5"
)

func main() {
	task, ports := os.Args[1], os.Args[2:]
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: "mymaster", SentinelAddrs: addresses(ports),
		DialTimeout: 500 * time.Millisecond, ReadTimeout: 2 * time.Second,
	})
	if task == "use" {
		json.NewEncoder(os.Stdout).Encode(use(client))
	} else {
		work(client)
	}
}

func addresses(ports []string) []string {
	all := []string{}
	for _, port := range ports {
		all = append(all, "127.0.0.1:"+port)
	}
	return all
}

func use(client *redis.Client) map[string]interface{} {
	said := map[string]interface{}{}
	say := func(name string, value interface{}, err error) {
		if said[name] = value; err != nil {
			said[name] = err.Error()
		}
	}
	pipelined, err := client.Pipelined(func(pipe *redis.Pipeline) error {
		for number := 1; number <= 50; number++ {
			pipe.Set(fmt.Sprintf("go:%d", number), number, time.Minute)
		}
		return nil
	})
	say("pipelined", fmt.Sprint(pipelined), err)
	values, err := client.MGet("go:1", "go:50", "go:51").Result()
	say("get", values, err)
	all, err := client.TxPipelined(func(pipe *redis.Pipeline) error {
		pipe.Incr("go:n")
		pipe.LPush("go:l", 1, 2)
		return nil
	})
	say("multi", fmt.Sprint(all), err)
	client.HSet("go:h", "a", 1)
	hash, err := client.HGetAll("go:h").Result()
	say("hash", hash, err)
	script, err := redis.NewScript("return {1, 'two', {3, ARGV[1]}}").Run(client, nil, "four").Result()
	say("eval", script, err)
	popped, err := client.BLPop(time.Second, "go:l").Result()
	say("popped", popped, err)
	nothing, err := client.BLPop(time.Second, "go:none").Result()
	say("nothing", nothing, err)
	say("error", nil, client.Incr("go:h").Err())
	say("watch", nil, client.Watch(func(tx *redis.Tx) error {
		client.Incr("go:n")
		_, err := tx.Pipelined(func(pipe *redis.Pipeline) error { return pipe.Incr("go:n").Err() })
		return err
	}, "go:n"))
	subscribe(client, say)
	return said
}

func subscribe(client *redis.Client, say func(string, interface{}, error)) {
	news, err := client.Subscribe("go:news")
	say("subscribed", nil, err)
	_, err = news.ReceiveTimeout(time.Second)
	say("confirmed", nil, err)
	say("published", client.Publish("go:news", "hello").Val(), nil)
	message, err := news.ReceiveTimeout(time.Second)
	say("received", fmt.Sprint(message), err)
	news.Close()
}

func work(client *redis.Client) {
	stop := make(chan bool)
	go func() {
		os.Stdin.Read(make([]byte, 1))
		close(stop)
	}()
	var kept int64
	for {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
			kept = count(client, kept)
		}
	}
}

// Returns the greatest number that a replica is known to have. Its pool has many connections, and WAIT is about the
// writes of its own: both go in one pipeline.
func count(client *redis.Client, kept int64) int64 {
	replicas := redis.NewIntCmd("wait", 1, 500)
	var counted *redis.IntCmd
	_, err := client.Pipelined(func(pipe *redis.Pipeline) error {
		counted = pipe.Incr("go:count")
		pipe.Process(replicas)
		return nil
	})
	if err != nil {
		return kept
	}
	if counted.Val() <= kept {
		fmt.Printf("counted %d after %d\n", counted.Val(), kept)
	}
	fmt.Println("done")
	if replicas.Val() > 0 {
		return counted.Val()
	}
	return kept
}
