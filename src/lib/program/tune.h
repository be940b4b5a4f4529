#pragma once
// The job of `hexapla tune`: train::tune::tune(), its watcher, and the report on its result.
#include "lib/tune/tuning.h"
#include "lib/tune/tuning_report.h"
