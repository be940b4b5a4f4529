#pragma once
// Formats text, numbers and curves for display: escaped for a terminal, padded, grouped, as a
// sparkline.
#include "documents/beginning.h"
#include "inspect/drawing/chart.h"
#include "text/quantities.h"
#include "text/utf8.h"
#include "text/words.h"
