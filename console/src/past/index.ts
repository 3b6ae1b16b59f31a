export { PastBanner } from "./past-banner.tsx";
export { isMoment } from "./moment.ts";
export { PastError } from "./past-error.tsx";
