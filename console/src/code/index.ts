export { CaretContext, type CaretField, useCaret } from "./caret.ts";
export {
  CodeEditor,
  type CodeEditorProps,
  type CodeHandle,
  type CodeMark,
} from "./code-editor.tsx";
export { ExpressionField, type ExpressionFieldProps } from "./expression-field.tsx";
export type { ExpressionMode } from "./jsonata-mode.ts";
export type { CodeLanguage } from "./language.ts";
export { parseValue, type ScopeSource, spellValue } from "./scope.ts";
