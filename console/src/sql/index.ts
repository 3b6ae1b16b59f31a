export { quoteName, quoteValue } from "./text/sql-tokens.ts";
