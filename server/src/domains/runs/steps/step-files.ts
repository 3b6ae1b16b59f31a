/** Handles step files: passed handles and created files. */
import type { Rights } from "#domains/identity/accounts/index.ts";
import {
  type FileHandle,
  isFileReference,
  isMissingFile,
  keepFile,
  type OpenedFile,
  openHandle,
  findFileIds,
  REFERENCES_MAX,
} from "#domains/files/index.ts";
import type { Caller, CallingRun } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { stepCaller } from "./perform-operation.ts";
import type { PerformingStep } from "./perform-operation.ts";
import type { SpeculativeSteps } from "./speculative-steps.ts";
import { StepFailure } from "./step-error.ts";

/** The step attempt that performs file operations. */
export interface FileStep extends Omit<PerformingStep, "rights"> {
  readonly speculative: SpeculativeSteps | undefined;
}

export class StepFiles {
  readonly #attempt: FileStep;
  readonly #rights: () => Promise<Rights>;
  readonly #leftovers: NonNullable<CallingRun["leftovers"]>;

  constructor(
    attempt: FileStep,
    rights: () => Promise<Rights>,
    leftovers: NonNullable<CallingRun["leftovers"]> = {},
  ) {
    this.#attempt = attempt;
    this.#rights = rights;
    this.#leftovers = leftovers;
  }

  /** These files for code with fewer rights than the run. */
  within(rights: Rights): StepFiles {
    return new StepFiles(this.#attempt, async () => rights, this.#leftovers);
  }

  /** Opens the file of a handle in `field`. An unreadable file gives the same error as a missing file. */
  async open(handle: unknown, field: string): Promise<OpenedFile> {
    if (!isFileReference(handle)) {
      throw new StepFailure("invalid_config", `${field} must be a file.`, {
        retryable: false,
        field,
      });
    }
    try {
      return await openHandle(this.#attempt.platform, await this.#caller(), handle.$file);
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      const message = `${field}: the file ${handle.$file.slice(0, 60)} does not exist, or this run can't read it.`;
      throw new StepFailure("file_gone", message, { retryable: false, field });
    }
  }

  /** The ids of files in a value that this step can open, and therefore pass to another run. */
  async findOpenable(value: unknown): Promise<readonly string[]> {
    const openable: string[] = [];
    for (const fileId of findFileIds(value).slice(0, REFERENCES_MAX)) {
      try {
        await openHandle(this.#attempt.platform, await this.#caller(), fileId);
        openable.push(fileId);
      } catch (error) {
        if (!isMissingFile(error)) throw error;
      }
    }
    return openable;
  }

  /** Stores content with the run while it is received. */
  async keep(
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    { name }: { readonly name: string },
  ): Promise<FileHandle> {
    const { platform } = this.#attempt;
    try {
      return await keepFile(platform, await this.#caller(), content, { name });
    } catch (error) {
      // Another attempt would exceed the same limit.
      if (!(error instanceof Failure)) throw error;
      throw new StepFailure(error.type.code, error.message, { retryable: false });
    }
  }

  async #caller(): Promise<Caller> {
    await this.#attempt.speculative?.untilWritten();
    const caller = stepCaller({ ...this.#attempt, rights: await this.#rights() });
    return { ...caller, run: { ...caller.run, leftovers: this.#leftovers } };
  }
}
