/** Diagnostics in the text: underlined, with a gutter icon and a message on hover, styled only with our own classes. */
import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { RangeSet } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, hoverTooltip } from "@codemirror/view";
import type { CodeMark } from "./editor-props.ts";

const setMarks = StateEffect.define<readonly CodeMark[]>();

const marksField = StateField.define<readonly CodeMark[]>({
  create: () => [],
  update: (marks, { effects, changes, docChanged, newDoc }) => {
    const given = effects.find((effect) => effect.is(setMarks))?.value;
    if (given) return given.map((mark) => fitMark(mark, newDoc.length));
    if (!docChanged) return marks;
    return marks.map((mark) => ({
      ...mark,
      from: changes.mapPos(mark.from, 1),
      to: changes.mapPos(mark.to, -1),
    }));
  },
  provide: (field) =>
    EditorView.decorations.from(field, (marks) =>
      Decoration.set(
        marks
          .filter(({ from, to }) => from < to)
          .map(({ from, to, severity = "error" }) =>
            Decoration.mark({ class: `cm-marked ${severity}` }).range(from, to),
          ),
        true,
      ),
    ),
});

class LineSign extends GutterMarker {
  readonly severity: string;
  readonly message: string;

  constructor({ severity = "error", message }: CodeMark) {
    super();
    this.severity = severity;
    this.message = message;
  }

  override eq(other: LineSign): boolean {
    return other.severity === this.severity && other.message === this.message;
  }

  override toDOM(): Node {
    const sign = document.createElement("span");
    sign.className = `cm-sign ${this.severity}`;
    sign.title = this.message;
    return sign;
  }
}

const signs = gutter({
  class: "cm-signs",
  markers: ({ state }) =>
    RangeSet.of(
      state.field(marksField).map((mark) => {
        const line = state.doc.lineAt(Math.min(mark.from, state.doc.length));
        return new LineSign(mark).range(line.from);
      }),
      true,
    ),
});

const words = hoverTooltip(({ state }, position) => {
  const found = state
    .field(marksField)
    .filter(({ from, to }) => from <= position && position <= to);
  const [first] = found;
  if (!first) return null;
  return {
    pos: first.from,
    end: first.to,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-mark-words";
      dom.textContent = found.map(({ message }) => message).join("\n");
      return { dom };
    },
  };
});

export const markWords: Extension = [marksField, words];
export const markLines: Extension = signs;

export function showMarks(view: EditorView, marks: readonly CodeMark[] = []): void {
  view.dispatch({ effects: setMarks.of(marks) });
}

/** Limits a diagnostic to the text, which may be shorter now. */
function fitMark(mark: CodeMark, length: number): CodeMark {
  const from = Math.max(0, Math.min(mark.from, length));
  return { ...mark, from, to: Math.max(from, Math.min(mark.to, length)) };
}
