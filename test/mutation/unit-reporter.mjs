/** Tells of each test file as soon as it is over: `{ kind: 'test', name, finding }` in one line. */
import { relative } from 'node:path'

export default class UnitReporter {
  onTestModuleEnd(module) {
    const [failed] = module.children.allTests('failed')
    const [error] = module.errors()
    const finding =
      failed?.fullName ?? (error && `cannot be loaded: ${error.message.slice(0, 100)}`)
    this.#tell({ kind: 'test', name: relative(process.cwd(), module.moduleId), finding })
  }

  onTestRunEnd(_modules, errors) {
    for (const { message } of errors.slice(0, 1)) {
      this.#tell({ kind: 'test', name: '', finding: `an error outside of tests: ${message}` })
    }
  }

  #tell(line) {
    process.stdout.write(`\n${JSON.stringify(line)}\n`)
  }
}
