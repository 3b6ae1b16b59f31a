export { PastBanner } from "./past-banner.tsx";
export { isMoment } from "./moment.ts";
