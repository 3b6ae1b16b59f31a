export { listChanges } from "./event-changes.ts";
export { EventData } from "./event-data.tsx";
export { History } from "./history.tsx";
export { UndoButton } from "./undo-button.tsx";
