export { PageDialog } from "./duty/page-dialog.tsx";
