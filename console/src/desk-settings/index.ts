/** The frame of settings, for areas that have some. */
export { CheckField, EditorForm, LineField, SelectField } from "./frame/editor-form.tsx";
export { type Editor, useEditor } from "./frame/use-editor.ts";
