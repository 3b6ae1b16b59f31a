/** The actions of the builder for shortcuts, buttons and the command palette. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { isFields } from "../../form/index.ts";
import { type Action, useActions } from "../../shell/actions.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { notify } from "../../ui/toast.tsx";
import {
  type Component,
  type Container,
  insertAt,
  isComponentAt,
  moveBy,
  moveIn,
  readAt,
  removeAt,
  roomFor,
  wrapIn,
} from "../draft/draft.ts";
import type { AppDraft } from "./use-app.ts";

export type Dialog = "component" | "page" | "source" | "publish" | undefined;

interface ActsInput {
  readonly app: AppDraft;
  readonly at: string;
  readonly mayEdit: boolean;
  readonly setDialog: (dialog: Dialog) => void;
}

/** Shortcuts without Ctrl work only in the tree and the preview, because users type in the properties. */
const PARTS = ".builder-tree, .builder-stage";
const NO_COMPONENT = "Select a component first.";
const NOTHING = "Nothing to undo or redo.";

export function useBuilderActs({ app, at, mayEdit, setDialog }: ActsInput) {
  const { draft } = app;
  const navigate = useNavigate();
  const { view } = useSearch({ from: "/inside/builder/$id" });
  const isComponent = isComponentAt(at);
  const refusal = mayEdit ? undefined : "You don't have permission to edit this app.";
  const own = refusal ?? (isComponent ? undefined : NO_COMPONENT);
  const remove = (): void => {
    if (/^\/pages\/\d+$/.test(at) && draft.pages.length === 1)
      return notify("You can't delete the last page. An app needs at least one page.");
    app.apply(removeAt(draft, at));
    return notify("Component removed", app.undo);
  };
  const copy = (): void => {
    void copyText(JSON.stringify(readAt(draft, at), null, 2), "Component");
  };
  const duplicate = (): void => {
    const { list, index } = roomFor(draft, at);
    app.apply(insertAt(draft, list, index, readAt(draft, at) as Component));
  };
  const wrap = (kind: Container): void => app.change(wrapIn(draft, at, kind), { at });
  usePaste(app, at, mayEdit);
  const actions: readonly Action[] = [
    { keys: "/", label: "Add component", run: () => setDialog("component"), disabled: refusal },
    { keys: "mod+z", label: "Undo", run: app.undo, disabled: app.canUndo ? undefined : NOTHING },
    {
      keys: "mod+shift+z",
      label: "Redo",
      run: app.redo,
      disabled: app.canRedo ? undefined : NOTHING,
    },
    { keys: "mod+s", label: "Save", run: () => void app.save(), always: true, disabled: refusal },
    { keys: "p", label: "Publish", run: () => setDialog("publish"), disabled: refusal },
    { keys: "[", label: "Move up", run: () => app.apply(moveBy(draft, at, -1)), disabled: own },
    { keys: "]", label: "Move down", run: () => app.apply(moveBy(draft, at, 1)), disabled: own },
    {
      keys: "}",
      label: "Move into the container above",
      run: () => app.apply(moveIn(draft, at)),
      disabled: own,
    },
    { keys: "mod+d", label: "Duplicate", run: duplicate, disabled: own },
    { keys: "mod+c", label: "Copy as JSON", run: copy, native: true, disabled: own },
    { keys: "Delete", label: "Remove", run: remove, disabled: own },
    { keys: "Backspace", label: "Remove", run: remove, disabled: own, hidden: true },
    {
      keys: "j",
      label: "Show JSON",
      run: () =>
        void navigate({
          to: ".",
          search: (old) => ({ ...old, view: view === "json" ? undefined : ("json" as const) }),
          replace: true,
        }),
    },
  ];
  useActions(
    actions.map((action) =>
      action.keys?.startsWith("mod+") ? action : { ...action, within: PARTS },
    ),
  );
  return { remove, copy, wrap, duplicate };
}

/**
 * Copies and pastes components as JSON through browser events, so that they can be pasted into editors and other
 * apps.
 */
function usePaste(app: AppDraft, at: string, mayEdit: boolean): void {
  useEffect(() => {
    const isFree = (): boolean => {
      const { activeElement } = document;
      const isField =
        activeElement instanceof HTMLElement &&
        activeElement.matches("input, textarea, select, .code-host");
      return (
        !isField && activeElement?.shadowRoot === null && getSelection()?.isCollapsed !== false
      );
    };
    const onCopy = (event: ClipboardEvent): void => {
      if (!isComponentAt(at) || !isFree()) return;
      event.clipboardData?.setData("text/plain", JSON.stringify(readAt(app.draft, at), null, 2));
      event.preventDefault();
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (!mayEdit || !isFree()) return;
      const component = parseComponent(event.clipboardData?.getData("text/plain") ?? "");
      if (!component) return;
      event.preventDefault();
      const { list, index } = roomFor(app.draft, at);
      app.apply(insertAt(app.draft, list, index, component));
    };
    document.addEventListener("copy", onCopy);
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("copy", onCopy);
      document.removeEventListener("paste", onPaste);
    };
  });
}

function parseComponent(text: string): Component | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && typeof value["type"] === "string" ? (value as Component) : undefined;
  } catch {
    return undefined;
  }
}
