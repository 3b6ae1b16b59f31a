/**
 * Parts of a screen that are downloaded when they are shown. One that a new version has renamed says so in its own
 * place: the rest of the screen keeps what was written in it, and whoever wrote it says when to reload.
 */
import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { isMissingChunk } from "../behaviour/new-version.ts";
import { Dialog } from "./dialog.tsx";

type Part<P> = LazyExoticComponent<ComponentType<P>>;

export function lazyPart<P>(load: () => Promise<ComponentType<P>>): Part<P> {
  return lazyOr(load, NewVersionNotice);
}

/** A dialog that is downloaded so. */
export function lazyDialog<P extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<P>>,
): Part<P> {
  return lazyOr(load, NewVersionDialog);
}

/** Downloads a part; `Instead` stands for one that is no longer there. */
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
      <span className="grow">There is a new version of Millrace. Reload to open this part.</span>
      <button className="btn" onClick={reload}>
        Reload
      </button>
    </div>
  );
}

function NewVersionDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="There is a new version of Millrace"
      onClose={onClose}
      onSubmit={reload}
      footer={<button className="btn main">Reload</button>}
    >
      <p>This part belongs to it. Reload to open it.</p>
    </Dialog>
  );
}
