/** The frame of settings, for areas that have some. */
export { EditorPanel } from "./frame/editor-panel.tsx";
export { PeopleField } from "./frame/people-field.tsx";
export { NEW, Shelf } from "./frame/shelf.tsx";
export { TicketPicker } from "./frame/ticket-picker.tsx";
