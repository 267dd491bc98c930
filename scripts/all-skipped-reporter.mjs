/** Says so, with a status of its own, when every test was skipped: nothing was proved then. */
const EXIT_NOTHING_TESTED = 3

export default class AllSkippedReporter {
  onTestRunEnd(modules) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    )
    if (states.length === 0 || states.some((state) => state !== 'skipped')) return
    console.log(
      `nothing was tested: all ${states.length} tests were skipped; their titles say what they need`,
    )
    process.exitCode ||= EXIT_NOTHING_TESTED
  }
}
