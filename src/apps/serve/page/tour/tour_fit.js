// Fits a step into the window: its two columns shrink a little, and scroll inside if they must. In a
// lecture they also grow.
const LEAST_ROOM = 380;                       // pixels; in lower windows the whole page scrolls
const SIZES = { usual: [0.82, 1], lecture: [0.5, 2.2] };  // from the smallest to the largest zoom
const PRECISION = 0.02;

const is_wide = () => matchMedia("(min-width: 52.01rem)").matches;
const fits = (column) => column.scrollHeight <= column.clientHeight + 1 && column.scrollWidth <= column.clientWidth + 1;

function with_zoom(column, zoom) {
  column.style.setProperty("--zoom", zoom);
  return fits(column);
}

function fit_column(column, [least, most]) {
  if (with_zoom(column, most)) return;
  let low = least, high = most;
  while (high - low > PRECISION) {
    const middle = (low + high) / 2;
    if (with_zoom(column, middle)) low = middle;
    else high = middle;
  }
  with_zoom(column, low);
}

// A long formula gets smaller letters than its column, down to LEAST_LETTERS of theirs.
const LEAST_LETTERS = 0.6;

function fit_formula(box) {
  box.style.setProperty("--letters", 1);
  if (box.scrollWidth > box.clientWidth) box.style.setProperty("--letters", Math.max(LEAST_LETTERS, 0.98 * box.clientWidth / box.scrollWidth));
}

// The height that the window has left for the stage.
function room_for(stage) {
  return Math.floor(window.innerHeight - (document.body.getBoundingClientRect().height - stage.getBoundingClientRect().height));
}

function fit_columns(stage, columns, lecture) {
  const room = room_for(stage);
  if (room < LEAST_ROOM && !lecture) return;
  stage.style.setProperty("--room", `${room}px`);
  stage.classList.add("fitted");
  for (const column of columns) fit_column(column, lecture ? SIZES.lecture : SIZES.usual);
}

export function fit(stage, columns, lecture) {
  const formulas = [...stage.querySelectorAll(".tour-formula")];
  stage.classList.remove("fitted");
  for (const box of formulas) box.style.removeProperty("--letters");
  for (const column of columns) column.style.removeProperty("--zoom");
  if (is_wide() || lecture) fit_columns(stage, columns, lecture);
  formulas.forEach(fit_formula);
}
