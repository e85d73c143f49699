/**
 * Waits for a condition, bounded.
 * @param {() => unknown} condition
 * @param {number} [timeoutMs]
 */
export async function until (condition, timeoutMs = 5_000) {
  const deadline = Date.now() + timeoutMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
