/** The settings layout for other areas. */
export { CheckField, EditorForm, LineField, NameField, SelectField } from "./frame/editor-form.tsx";
export { type Editor, useEditor } from "./frame/use-editor.ts";
export { EditorPanel } from "./frame/editor-panel.tsx";
export { PeopleField } from "./frame/people-field.tsx";
export { NEW, Shelf } from "./frame/shelf.tsx";
export { TeamSelect } from "./frame/team-select.tsx";
export { TicketPicker } from "./frame/ticket-picker.tsx";
