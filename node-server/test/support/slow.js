/** Options of a slow test: `npm run test:fast` leaves it out. */
export const slow = { skip: process.env.TEST_FAST ? 'slow' : false }
