// Element-wise calls.
KERNEL fill(MATRIX(x), int width, real value) {
  ELEMENT;
  ROW(x, row)[column] = value;
}

KERNEL add(MATRIX(a), MATRIX(b), MATRIX(y), int width) {
  ELEMENT;
  ROW(y, row)[column] = ROW(a, row)[column] + ROW(b, row)[column];
}

KERNEL multiply(MATRIX(a), MATRIX(b), MATRIX(y), int width) {
  ELEMENT;
  ROW(y, row)[column] = ROW(a, row)[column] * ROW(b, row)[column];
}

KERNEL combine(MATRIX(x), MATRIX(y), int width, real a, real b) {
  ELEMENT;
  const real scaled = a * ROW(x, row)[column];
  ROW(y, row)[column] = b == 0 ? scaled : scaled + b * ROW(y, row)[column];
}

#define SQRT_HALF ((real)0.70710678118654752440)
#define TWICE_ROOT_TWO_BY_PI ((real)1.59576912160573071176)  // 2 sqrt(2 / pi)
real sigmoid(real x) { return 1 / (1 + exp(-x)); }
real twice_of_tanh(real x) { return TWICE_ROOT_TWO_BY_PI * (x + (real)0.044715 * x * x * x); }

// f: relu, gelu, swish, gelu_tanh, in the order of Activation.
real activation(int f, real x) {
  if (f == 0) return x < 0 ? (real)0 : x;
  if (f == 1) return x * (real)0.5 * erfc(-x * SQRT_HALF);
  if (f == 2) return x / (1 + exp(-x));
  return x * sigmoid(twice_of_tanh(x));
}
real derivative(int f, real x) {
  if (f == 0) return x > 0 ? 1 : 0;
  if (f == 1) return (real)0.5 * erfc(-x * SQRT_HALF) + x * exp((real)-0.5 * x * x) * (real)0.39894228040143267794;
  if (f == 2) {
    const real s = sigmoid(x);
    return s + x * (s * (1 - s));
  }
  const real s = sigmoid(twice_of_tanh(x));
  const real slope = s * (1 - s);  // times an infinite square, 0 would be NaN
  return slope == 0 ? s : s + x * slope * (TWICE_ROOT_TWO_BY_PI * (1 + (real)0.134145 * x * x));
}

KERNEL activate(MATRIX(x), MATRIX(y), int width, int f, MASK) {
  ELEMENT;
  ROW(y, row)[column] = dropped(activation(f, ROW(x, row)[column]), drop_factor(row, column, MASKED));
}

KERNEL activate_backward(MATRIX(x), MATRIX(dy), MATRIX(dx), int width, int f, MASK) {
  ELEMENT;
  const real d = dropped(ROW(dy, row)[column], drop_factor(row, column, MASKED));
  ROW(dx, row)[column] = derivative(f, ROW(x, row)[column]) * d;
}

KERNEL dropout(MATRIX(x), MATRIX(y), int width, MASK) {
  ELEMENT;
  ROW(y, row)[column] = dropped(ROW(x, row)[column], drop_factor(row, column, MASKED));
}
