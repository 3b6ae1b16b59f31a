import type { CompletionSource } from "@codemirror/autocomplete";
import type { Ref } from "react";
import type { CodeLanguage } from "./language.ts";

/** A place in the text with something to say about it. */
export interface CodeMark {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly severity?: "error" | "warning";
}

export interface CodeHandle {
  focus(): void;
  /** Writes at the caret; `spell` sees the text before it. */
  insert(spell: (before: string) => string): void;
}

export interface CodeEditorProps {
  readonly value: string;
  readonly onChange?: (value: string) => void;
  readonly label: string;
  readonly language: CodeLanguage;
  /** With line numbers, search and a gutter for marks; without, it looks like a field and grows. */
  readonly isBlock?: boolean;
  readonly isSingleLine?: boolean;
  readonly isReadOnly?: boolean;
  readonly isInvalid?: boolean;
  /** `leaves` the field unless told; in one where it `indents`, Escape and then Tab leave. */
  readonly tab?: "leaves" | "indents";
  readonly hint?: string | undefined;
  /** Read with the label. Ids of the page don't reach into a shadow root. */
  readonly description?: string | undefined;
  readonly marks?: readonly CodeMark[];
  readonly completion?: CompletionSource;
  readonly onFocus?: () => void;
  readonly handle?: Ref<CodeHandle>;
}
