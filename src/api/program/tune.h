#pragma once
// The job of `hexapla tune`: train::tune::tune(), its watcher, and the report on its result.
#include "train/tune/tuning.h"
#include "train/tune/tuning_report.h"
