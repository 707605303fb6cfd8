#!/bin/sh
# A peer that does what a test wrote into the file that STAND_IN names. Read, not run: a file just written may not be run yet.
. "$STAND_IN"
