package main

import "strings"

// The tools of the demo, as agents see them.
const (
	goTo         = "view_app__navigation__goTo"
	readRoute    = "view_app__navigation__readRoute"
	readFilters  = "view_devices__filters__readFilters"
	setFilters   = "view_devices__filters__setFilters"
	clearFilters = "view_devices__filters__clearFilters"
	sortBy       = "view_devices__filters__sortBy"
	readRows     = "view_devices__table__readRows"
	selectRows   = "view_devices__table__selectRows"
	clearRows    = "view_devices__table__clearSelection"
	openSelected = "view_devices__table__openSelected"
	readDevice   = "view_devices__drawer__readDevice"
	closeDrawer  = "view_devices__drawer__closeDrawer"
	disable      = "domain_devices__disable"
)

// atStart are the tools of the page as it opens: the device list, nothing selected, no drawer.
func atStart() []string {
	return []string{
		goTo, readRoute, readFilters, setFilters, clearFilters, sortBy, readRows, selectRows,
	}
}

// later are the tools that need a step first.
func later() []string {
	return []string{clearRows, openSelected, readDevice, closeDrawer, disable}
}

// script is the whole run. The names are what a failure is reported under.
func script() []step {
	return []step{
		{"open the page", openPage},
		{"list the tools", listTools},
		{"read the table", readTable},
		{"filter the table", filterTable},
		{"send wrong input", sendWrongInput},
		{"look for actions that are not available", lookForUnavailable},
		{"select a row, which makes them available", selectOne},
		{"open the drawer", openDrawer},
		{"close the drawer", shutDrawer},
		{"disable devices, approved by a person", disableApproved},
		{"disable devices, denied by a person", disableDenied},
		{"disable devices, with no answer", disableExpired},
		{"look at the page's console", lookAtConsole},
	}
}

// listed writes tool names for a reader, without what they have in common.
func listed(names []string) string { return strings.Join(names, ", ") }
