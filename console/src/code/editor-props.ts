import type { CompletionSource } from "@codemirror/autocomplete";
import type { Ref } from "react";
import type { CodeLanguage } from "./language.ts";

/** A diagnostic at a position in the text. */
export interface CodeMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity?: "error" | "warning";
}

export interface CodeHandle {
  focus(): void;
  /** Inserts at the caret; `spell` receives the text before it. */
  insert(spell: (before: string) => string): void;
}

export interface CodeEditorProps {
  readonly value: string;
  readonly onChange?: (value: string) => void;
  readonly label: string;
  readonly language: CodeLanguage;
  /** With line numbers, search and a gutter; without, it looks like a text field and grows. */
  readonly isBlock?: boolean;
  readonly isSingleLine?: boolean;
  readonly isReadOnly?: boolean;
  readonly isInvalid?: boolean;
  /** `leaves` the field by default; if Tab `indents`, Escape followed by Tab leaves it. */
  readonly tab?: "leaves" | "indents";
  readonly hint?: string | undefined;
  /** Read after the label. `aria-describedby` can't refer from a shadow root to ids of the page. */
  readonly description?: string | undefined;
  readonly marks?: readonly CodeMark[];
  readonly completion?: CompletionSource;
  readonly onFocus?: () => void;
  readonly handle?: Ref<CodeHandle>;
}
