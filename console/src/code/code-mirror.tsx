/**
 * CodeMirror in a shadow root. There it uses constructed style sheets, which the content security policy allows; in
 * the document it would add a `<style>` element, which the policy blocks. Loaded with the first editor.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  type CompletionSource,
  startCompletion,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  temporarilySetTabFocusMode,
} from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  type KeyBinding,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef, useState } from "react";
import { Echo, smallestChange } from "./echo.ts";
import type { CodeEditorProps } from "./editor-props.ts";
import { loadLanguage } from "./language.ts";
import { editorLook } from "./look.ts";
import { markLines, markWords, showMarks } from "./marks.ts";

/** These shortcuts belong to the page: submit, search and command palette. */
const PAGE_KEYS = new Set(["Mod-Enter", "Ctrl-k", "Mod-k", "Mod-/", "Mod-i", "Alt-ArrowUp"]);
const ownKeymap = defaultKeymap.filter(({ key }) => key === undefined || !PAGE_KEYS.has(key));

/** Escape followed by Tab leaves a field in which Tab indents. */
const leaveBinding: KeyBinding = { key: "Escape", run: temporarilySetTabFocusMode };

export function CodeMirror(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const newest = useRef(props);
  const [echo] = useState(() => new Echo());
  // Set together with the report, so that React renders both at once.
  const [drawnReports, setDrawnReports] = useState(0);
  useEffect(() => {
    newest.current = props;
  });
  const { value, language, marks, handle, isBlock = false, tab = "leaves" } = props;
  const { label, isReadOnly, hint, description, isInvalid } = props;
  useEffect(() => {
    const parent = host.current;
    if (!parent) return undefined;
    const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: newest.current.value,
        extensions: [
          spoken.of([]),
          told.of(tellAbout(newest.current)),
          keymap.of(tab === "indents" ? [indentWithTab, leaveBinding] : []),
          editing(newest, isBlock),
          reporting(newest, echo, setDrawnReports),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = undefined;
      editor.destroy();
    };
  }, [echo, isBlock, tab]);
  // Typing can change the language, for example when text becomes JSON. The editor is kept, with focus and caret.
  useEffect(() => {
    let isOutdated = false;
    void loadLanguage(language).then((extension) => {
      if (!isOutdated) view.current?.dispatch({ effects: spoken.reconfigure(extension) });
    });
    return () => {
      isOutdated = true;
    };
  }, [language, isBlock, tab]);
  // Diagnostics are updated in the existing editor, so that the caret is kept.
  useEffect(() => {
    view.current?.dispatch({ effects: told.reconfigure(tellAbout(newest.current)) });
  }, [label, isReadOnly, hint, description, isInvalid]);
  useEffect(() => {
    const editor = view.current;
    if (echo.take(value) || !editor) return;
    const shown = editor.state.doc.toString();
    if (shown !== value) editor.dispatch({ changes: smallestChange(shown, value) });
  }, [echo, value]);
  useEffect(() => echo.settle(drawnReports), [echo, drawnReports]);
  useEffect(() => {
    if (view.current) showMarks(view.current, marks);
  }, [marks, language, isBlock, tab]);
  useImperativeHandle(handle, () => ({
    focus: () => view.current?.focus(),
    insert: (spell) => view.current && insertAt(view.current, spell),
  }));
  return <div ref={host} className="code-host" />;
}

const spoken = new Compartment();
const told = new Compartment();

/** Returns the extensions for field attributes that can change while the user types. */
function tellAbout(props: CodeEditorProps): Extension {
  const { label, isReadOnly = false, isInvalid = false, description, hint } = props;
  return [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of({
      "aria-label": label,
      tabindex: "0",
      ...(isReadOnly && { "aria-readonly": "true" }),
      ...(isInvalid && { "aria-invalid": "true" }),
      ...(description && { "aria-description": description }),
    }),
    hint ? placeholder(hint) : [],
  ];
}

type PropsRef = React.RefObject<CodeEditorProps>;

function editing(newest: PropsRef, isBlock: boolean): Extension {
  return [
    history(),
    drawSelection(),
    closeBrackets(),
    indentOnInput(),
    bracketMatching(),
    EditorView.lineWrapping,
    editorLook,
    markWords,
    overwriting,
    isBlock ? [lineNumbers(), highlightActiveLineGutter(), markLines, search()] : [],
    autocompletion({
      override: [(context) => completionOf(newest)?.(context) ?? null],
      icons: false,
      maxRenderedOptions: 60,
    }),
    reachableList,
    keymap.of([
      ...completionKeymap,
      ...closeBracketsKeymap,
      ...(isBlock ? searchKeymap : []),
      ...historyKeymap,
      ...ownKeymap,
    ]),
    EditorState.transactionFilter.of((transaction) =>
      newest.current.isSingleLine && transaction.newDoc.lines > 1 ? [] : transaction,
    ),
  ];
}

/** Reports edits to React. */
function reporting(newest: PropsRef, echo: Echo, onReport: (count: number) => void): Extension {
  return EditorView.updateListener.of(({ docChanged, focusChanged, state, transactions, view }) => {
    if (focusChanged && view.hasFocus) newest.current.onFocus?.();
    if (!docChanged) return;
    const text = state.doc.toString();
    if (echo.note(text, newest.current.value)) {
      newest.current.onChange?.(text);
      onReport(echo.count);
    }
    // A dot opens the completion of its members.
    const { head } = state.selection.main;
    const isTyped = transactions.some((transaction) => transaction.isUserEvent("input"));
    if (isTyped && state.sliceDoc(head - 1, head) === ".") startCompletion(view);
  });
}

/**
 * A scrollable list must be reachable by keyboard, but CodeMirror's list only supports arrow keys. Tab must not
 * stop in it, so the list closes before the browser moves the focus.
 */
const reachableList: Extension = [
  EditorView.updateListener.of(({ view }) => {
    const list = view.dom.querySelector<HTMLElement>(".cm-tooltip-autocomplete > ul");
    if (list) list.tabIndex = 0;
  }),
  Prec.highest(
    keymap.of([
      {
        key: "Tab",
        shift: (view) => closeCompletion(view) && false,
        run: (view) => closeCompletion(view) && false,
      },
    ]),
  ),
];

/**
 * Replaces a selection by typed text. If the browser did this, it would write inline styles to keep the formatting,
 * and the content security policy blocks these.
 */
const overwriting: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    if (view.state.readOnly) return false;
    const replace = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, replace))) view.dispatch(replace());
    event.preventDefault();
    return true;
  },
});

const completionOf = (newest: PropsRef): CompletionSource | undefined => newest.current.completion;

function insertAt(view: EditorView, spell: (before: string) => string): void {
  const { from, to } = view.state.selection.main;
  const insert = spell(view.state.sliceDoc(0, from));
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: "input.paste",
  });
  view.focus();
}
