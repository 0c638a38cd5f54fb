package demo

// seedProducts are the spare parts of the shop, the same in every new database.
func seedProducts() []Product {
	return []Product{
		{"part-antenna-5", "Antenna, 5 dBi", "Radio", 1290, 40},
		{"part-antenna-9", "Antenna, 9 dBi outdoor", "Radio", 3450, 12},
		{"part-battery-aa", "Battery pack, AA", "Power", 890, 120},
		{"part-battery-li", "Battery pack, lithium", "Power", 2490, 35},
		{"part-bracket-pole", "Bracket for poles", "Mounting", 1150, 60},
		{"part-bracket-wall", "Bracket for walls", "Mounting", 750, 85},
		{"part-cable-cat6", "Cable, Cat 6, 10 m", "Cabling", 1390, 70},
		{"part-cable-fibre", "Cable, fibre, 20 m", "Cabling", 4200, 9},
		{"part-case-ip67", "Case, IP67", "Mounting", 2890, 22},
		{"part-lens-wide", "Lens for cameras, wide", "Optics", 5600, 4},
		{"part-psu-12", "Power supply, 12 V", "Power", 1990, 50},
		{"part-psu-poe", "Power injector, PoE+", "Power", 3290, 28},
		{"part-sensor-temp", "Sensor head, temperature", "Sensing", 1690, 33},
		{"part-sensor-hum", "Sensor head, humidity", "Sensing", 1840, 3},
		{"part-sim", "SIM card, roaming", "Radio", 500, 200},
		{"part-switch-5", "Switch, 5 ports", "Cabling", 4690, 15},
	}
}
