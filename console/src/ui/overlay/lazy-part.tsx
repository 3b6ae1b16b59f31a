/**
 * Lazily loaded parts of a screen. If a deployment removed a part's file, the error is shown in its place: the rest
 * of the screen keeps its input, and the user decides when to reload.
 */
import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { isMissingChunk } from "../behaviour/new-version.ts";
import { Dialog } from "./dialog.tsx";

type Part<P> = LazyExoticComponent<ComponentType<P>>;

export function lazyPart<P>(load: () => Promise<ComponentType<P>>): Part<P> {
  return lazyOr(load, NewVersionNotice);
}

/** A lazily loaded dialog. */
export function lazyDialog<P extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<P>>,
): Part<P> {
  return lazyOr(load, NewVersionDialog);
}

/** Loads a part lazily; `Instead` is rendered if its file no longer exists. */
export function lazyOr<P>(
  load: () => Promise<ComponentType<P>>,
  Instead: ComponentType<P>,
): Part<P> {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (error) {
      if (error instanceof Error && isMissingChunk(error)) return { default: Instead };
      throw error;
    }
  });
}

const reload = (): void => location.reload();

function NewVersionNotice() {
  return (
    <div className="problem new-version" role="alert">
      <span className="grow">
        A new version of Millrace is available. Reload to open this page.
      </span>
      <button className="btn" onClick={reload}>
        Reload
      </button>
    </div>
  );
}

function NewVersionDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="A new version of Millrace is available"
      onClose={onClose}
      onSubmit={reload}
      footer={<button className="btn main">Reload</button>}
    >
      <p>Reload to open this page.</p>
    </Dialog>
  );
}
