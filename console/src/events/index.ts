export { listChanges } from "./event-changes.ts";
export { EventData, ReadableEvent } from "./event-data.tsx";
export { nameThing } from "./event-words.ts";
export { History } from "./history.tsx";
export { UndoButton } from "./undo-button.tsx";
export { IdButton, type KnownThing, KnownThings, ThingName } from "./thing-name.tsx";
