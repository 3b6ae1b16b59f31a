export { PendingCalls } from "./calls.tsx";
