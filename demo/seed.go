package demo

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// seedCount is how many devices a new database holds: every city has perKind of each kind.
const (
	perKind   = 4
	seedCount = 10 * 5 * perKind
)

// seedDevices gives the same devices every time, so that screenshots, tests and documentation agree on them.
func seedDevices() []Device {
	cities := [...]string{"Lisbon", "Berlin", "Dublin", "Ghent", "Madrid", "Oslo", "Porto", "Turin", "Vienna", "Zurich"}
	kinds := [...]string{"gateway", "sensor", "router", "camera", "meter"}
	random := rand.New(rand.NewPCG(20261130, 200))
	devices := make([]Device, 0, seedCount)
	for number := range perKind {
		for _, city := range cities {
			for _, kind := range kinds {
				device := seedDevice(random)
				device.ID = fmt.Sprintf("dev-%03d", len(devices)+1)
				device.Name = fmt.Sprintf("%s %s %02d", city, kind, number+1)
				device.City = city
				devices = append(devices, device)
			}
		}
	}
	return devices
}

// seedDevice fills in what varies from one device to the next.
func seedDevice(random *rand.Rand) Device {
	firmware := [...]string{"4.2.1", "4.2.0", "4.1.7", "4.0.3", "3.9.8"}
	device := Device{Status: Online, Enabled: true, Version: 1}
	switch roll := random.IntN(100); {
	case roll < 16:
		device.Status = Offline
	case roll < 27:
		device.Status = Maintenance
	}
	// The smaller of two rolls makes recent firmware the common one.
	device.Firmware = firmware[min(random.IntN(len(firmware)), random.IntN(len(firmware)))]
	device.LastSeen = lastSeen(random, device.Status)
	if random.IntN(100) < 6 {
		device.Enabled = false
		device.DisabledReason = "Retired from service"
	}
	return device
}

// lastSeen is minutes ago for what is online, hours for maintenance, days for offline, counted back from a fixed moment.
func lastSeen(random *rand.Rand, status Status) string {
	until := time.Date(2026, time.November, 30, 9, 0, 0, 0, time.UTC)
	span := map[Status]time.Duration{Online: 12 * time.Minute, Maintenance: 9 * time.Hour, Offline: 21 * 24 * time.Hour}
	seen := until.Add(-time.Duration(random.Int64N(int64(span[status])))).Truncate(time.Second)
	return seen.Format("2006-01-02T15:04:05.000Z")
}
