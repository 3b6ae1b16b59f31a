/** All keyboard shortcuts of the editor. Each is also in the command palette and in the shortcut list. */
import { useActions, type Action } from "../../shell/actions.ts";
import { toClipboard } from "../../ui/behaviour/copy.ts";
import { notify } from "../../ui/toast.tsx";
import type { CanvasHandle } from "../canvas/canvas.tsx";
import { placeOf } from "../graph/graph.ts";
import { TRIGGER } from "../graph/layout.ts";
import { type Arrow, ARROWS } from "../graph/walk.ts";
import type { Draft } from "./draft/use-draft.ts";
import { focusCanvas, focusFields } from "./panels/panel-focus.ts";
import type { Edits } from "./use-edits.ts";

interface EditorActionsInput {
  readonly draft: Draft;
  readonly edits: Edits;
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly canvas: React.RefObject<CanvasHandle | null>;
  readonly locked: string | undefined;
  readonly cannotTest: string | undefined;
  readonly cannotRun: string | undefined;
  readonly cannotDeploy: string | undefined;
  readonly on: {
    readonly save: () => void;
    readonly test: () => void;
    readonly run: () => void;
    readonly publish: () => void;
    readonly fold: (key: string) => void;
    readonly foldAll: () => void;
    readonly open: () => void;
    readonly nextProblem: () => void;
    readonly toggleJson: () => void;
    readonly showVersions: () => void;
  };
}

/** Shortcuts without Ctrl or Alt work only on the canvas, because users type in the side panel. */
const CANVAS = ".editor-canvas";

export function useEditorActions(input: EditorActionsInput): void {
  const actions = [...walkActions(input), ...editActions(input), ...fileActions(input)];
  useActions([
    ...actions.map((action) =>
      action.keys === "Escape" || /^(mod|alt)\+/.test(action.keys ?? "mod+")
        ? action
        : { ...action, within: CANVAS },
    ),
    { keys: "F6", label: "Switch between canvas and fields", run: switchPane, always: true },
  ]);
}

/** Escape never moves focus from a field to the canvas: further typing would trigger shortcuts there. */
function switchPane(): void {
  if (document.querySelector("dialog:modal")) return;
  if (document.activeElement?.closest(CANVAS)) focusFields();
  else focusCanvas();
}

function walkActions({ edits, chosen, choose, canvas, on }: EditorActionsInput): readonly Action[] {
  const key = chosen.at(-1);
  const walk = (arrow: Arrow): void => {
    const next = canvas.current?.walk(key, arrow);
    if (next !== undefined) choose([next]);
  };
  const enter = (): void => {
    if (edits.linking !== undefined && key !== undefined) edits.link(key);
    else if (key === undefined) walk("ArrowDown");
    else on.open();
  };
  const leave = (): void => {
    if (edits.linking !== undefined) return edits.setLinking(undefined);
    if (edits.wire) return edits.setWire(undefined);
    const loop = key === undefined ? "" : placeOf(key);
    return choose(loop === "" ? [] : [loop]);
  };
  return [
    ...ARROWS.map((keys) => ({
      keys,
      label: "Select next or previous step",
      run: () => walk(keys),
      hidden: keys !== "ArrowDown",
    })),
    { keys: "Enter", label: "Open fields of the step", run: enter },
    { keys: "Escape", label: "Leave loop, then clear selection", run: leave, hidden: true },
    ...(key === undefined
      ? []
      : [{ keys: "Space", label: "Expand or collapse", run: () => on.fold(key) }]),
    { keys: "z", label: "Expand or collapse all loops", run: on.foldAll },
    { keys: "f", label: "Fit to screen", run: () => canvas.current?.fit() },
    { keys: "n", label: "Go to next problem", run: on.nextProblem },
    { keys: "mod+a", label: "Select all steps", run: edits.chooseAll },
  ];
}

function editActions({ edits, chosen, canvas, locked }: EditorActionsInput): readonly Action[] {
  const key = chosen.at(-1);
  const disabled = locked;
  const at = (): DOMRect | undefined =>
    key === undefined ? undefined : canvas.current?.findOnScreen(key);
  const isStep = key !== undefined && key !== TRIGGER;
  const ofStep: readonly Action[] = [
    {
      keys: "shift+Tab",
      label: "Add step before",
      run: () => edits.ask("before", at()),
    },
    { keys: "b", label: "Add parallel step", run: () => edits.ask("beside", at()) },
    { keys: "l", label: "Put in loop", run: edits.loop },
    { keys: "mod+d", label: "Duplicate", run: edits.duplicate },
    { keys: "alt+ArrowUp", label: "Move up", run: () => edits.pass(-1) },
    { keys: "alt+ArrowDown", label: "Move down", run: () => edits.pass(1) },
    { keys: "alt+ArrowLeft", label: "Move a column to the left", run: () => edits.swap(-1) },
    { keys: "alt+ArrowRight", label: "Move a column to the right", run: () => edits.swap(1) },
    { keys: "mod+x", label: "Cut", run: () => void copy(edits, edits.remove), native: true },
  ];
  return [
    { keys: "/", label: "Add step", run: () => edits.ask("after", at()), disabled },
    ...(key === undefined
      ? []
      : [
          {
            keys: "Tab",
            label: "Add step after",
            run: () => edits.ask("after", at()),
            disabled,
          },
        ]),
    ...(key === undefined
      ? []
      : [
          {
            keys: "c",
            label: "Connect or disconnect",
            run: () => edits.setLinking(key),
            disabled,
          },
        ]),
    ...(isStep ? ofStep.map((action) => ({ ...action, disabled })) : []),
    ...(isStep
      ? [{ keys: "mod+c", label: "Copy as JSON", run: () => void copy(edits), native: true }]
      : []),
    { keys: "mod+v", label: "Paste steps", run: () => void paste(edits), native: true, disabled },
    ...(isStep || edits.wire
      ? ["Delete", "Backspace"].map((keys) => ({
          keys,
          label: "Delete",
          run: edits.remove,
          hidden: keys === "Backspace",
          disabled,
        }))
      : []),
  ];
}

function fileActions(input: EditorActionsInput): readonly Action[] {
  const { draft, edits, on, locked, cannotTest, cannotRun, cannotDeploy } = input;
  return [
    { keys: "mod+s", label: "Save", run: on.save, always: true, disabled: locked },
    { keys: "mod+z", label: `Undo ${draft.undoLabel ?? ""}`.trim(), run: edits.undo },
    { keys: "mod+shift+z", label: `Redo ${draft.redoLabel ?? ""}`.trim(), run: edits.redo },
    { keys: "mod+y", label: "Redo", run: edits.redo, hidden: true },
    { keys: "t", label: "Dry run", run: on.test, disabled: cannotTest },
    { keys: "r", label: "Run", run: on.run, disabled: cannotRun },
    { keys: "d", label: "Deploy", run: on.publish, disabled: cannotDeploy },
    { keys: "j", label: "Show JSON", run: on.toggleJson },
    { keys: "v", label: "Show versions", run: on.showVersions },
    ...(draft.isDirty ? [{ label: "Discard changes", run: draft.discard }] : []),
  ];
}

/** For the command palette: a shortcut uses the browser's own event, which needs no permission. */
async function copy(edits: Edits, then?: () => void): Promise<void> {
  const text = edits.copy();
  if (text === undefined) return;
  if (!(await toClipboard(text))) return;
  notify("Copied as JSON");
  then?.();
}

async function paste(edits: Edits): Promise<void> {
  try {
    edits.paste(await navigator.clipboard.readText());
  } catch {
    notify("The browser does not allow access to the clipboard. Press Ctrl V on the canvas.");
  }
}
