export { missingItems } from "./known.ts";
