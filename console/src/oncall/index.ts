export { PageDialog } from "./duty/page-dialog.tsx";
export { PageBanner } from "./duty/page-banner.tsx";
