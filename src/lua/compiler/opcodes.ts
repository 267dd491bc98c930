/**
 * The instructions of the machine. Each takes four words: the operation and up to three operands.
 * R is a register, K a constant, RK a register or, if negative, the constant `~n`. The loop of the
 * machine names them by number, because only numbers make a jump table.
 */
export const OP = {
  /** R[a] = R[b] */
  move: 0,
  /** R[a] = K[b] */
  constant: 1,
  /** R[a], ..., R[a + b - 1] = nil */
  nil: 2,
  /** R[a] = (b = 1) */
  bool: 3,
  /** R[a] = globals[K[b]] */
  getGlobal: 4,
  /** globals[K[b]] = RK[a] */
  setGlobal: 5,
  /** R[a] = upvalue[b] */
  getUpvalue: 6,
  /** upvalue[a] = RK[b] */
  setUpvalue: 7,
  /** R[a] = a new box that holds R[a] */
  box: 8,
  /** R[a] = what the box R[b] holds */
  getBox: 9,
  /** what the box R[a] holds = RK[b] */
  setBox: 10,
  /** R[a] = R[b][K[c]], a string */
  field: 11,
  /** R[a] = R[b][RK[c]] */
  index: 12,
  /** R[a][K[b]] = RK[c] */
  setField: 13,
  /** R[a][RK[b]] = RK[c] */
  setIndex: 14,
  /** R[a + 1] = R[b]; R[a] = R[b][K[c]] */
  self: 15,
  /** R[a] = RK[b] + RK[c] */
  add: 16,
  subtract: 17,
  multiply: 18,
  divide: 19,
  modulo: 20,
  power: 21,
  /** R[a] = -R[b] */
  minus: 22,
  not: 23,
  length: 24,
  /** R[a] = R[b] .. ... .. R[c] */
  concat: 25,
  /** go to a */
  jump: 26,
  /** go back to a */
  loop: 27,
  /** go to a if R[b] */
  jumpIf: 28,
  jumpIfNot: 29,
  /** go to a if RK[b] == RK[c] */
  jumpEqual: 30,
  jumpNotEqual: 31,
  jumpLess: 32,
  jumpNotLess: 33,
  jumpLessEqual: 34,
  jumpNotLessEqual: 35,
  /** R[a], ... = R[a](R[a + 1], ...): b - 1 arguments, c - 1 results; 0: as many as there are */
  call: 36,
  /** return R[a](...) */
  tailCall: 37,
  /** return R[a], ...: b - 1 values; 0: as many as there are */
  return: 38,
  /** prepares R[a], R[a + 1], R[a + 2] and goes to b */
  forPrepare: 39,
  /** counts on, and goes to b while the loop is not over */
  forLoop: 40,
  /** R[a + 3], ... = R[a](R[a + 1], R[a + 2]): b results */
  iterate: 41,
  /** R[a + 2] = R[a + 3], and goes to b, unless that is nil */
  iterateTest: 42,
  /** R[a][c + 1], ... = R[a + 1], ...: b values; 0: as many as there are */
  setList: 43,
  /** R[a] = a table with room for b items of a list and c others */
  newTable: 44,
  /** R[a] = a function of prototype b */
  closure: 45,
  /** R[a], ... = the arguments beyond the named: b - 1 of them; 0: all */
  vararg: 46,
  /** R[a] = the table `arg` */
  arg: 47,
} as const

export type OperationName = keyof typeof OP
