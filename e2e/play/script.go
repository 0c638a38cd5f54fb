package main

import (
	"slices"
	"strings"
)

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
	renameDevice = "domain_devices__rename"
)

// atStart are the tools of the page as it opens: the device list, nothing selected, no drawer.
func atStart() []string {
	return []string{
		goTo, readRoute, readFilters, setFilters, clearFilters, sortBy, readRows, selectRows,
	}
}

// later are the tools that need a step first.
func later() []string {
	return []string{clearRows, openSelected, readDevice, closeDrawer, disable, renameDevice}
}

// script is the whole run. The names are what a failure is reported under.
func script() []step {
	return slices.Concat([]step{{"open the page", openPage}}, devicesScript(), renameScript(), shopScript(), []step{{"look at the pages' console", lookAtConsole}})
}

// devicesScript is about components, and a procedure that a person confirms in the page's dialog.
func devicesScript() []step {
	return []step{
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
	}
}

// renameScript is about a change that the page shows before the server has made it.
func renameScript() []step {
	return []step{
		{"open a device", openDevice},
		{"rename it: shown at once, then the server's", renameAtOnce},
		{"rename it, and the server fails", renameFails},
		{"rename it, and somebody else was faster", renameConflicts},
		{"rename it, and the server is too slow", renameExpires},
		{"rename it twice at once", renameTwice},
	}
}

// shopScript is about web tools, which a person confirms by pressing the control itself.
func shopScript() []step {
	return []step{
		{"open the shop", openShop},
		{"search the shop", searchTheShop},
		{"add to the cart, by the person's own press", addByHand},
		{"clear the cart, denied by the person", clearDenied},
		{"clear the cart, by the person's own press", clearByHand},
	}
}

// listed writes tool names for a reader, without what they have in common.
func listed(names []string) string { return strings.Join(names, ", ") }
