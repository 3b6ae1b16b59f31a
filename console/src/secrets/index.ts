export { UsedIn } from "./used-in.tsx";
