export { listChanges } from "./event-changes.ts";
export { EventData } from "./event-data.tsx";
export { nameThing } from "./event-words.ts";
export { History } from "./history.tsx";
export { UndoButton } from "./undo-button.tsx";
