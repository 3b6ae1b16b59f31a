import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { EventVisibilityPoint } from "#kernel/log/event-visibility.ts";
import { collectFilesJob } from "./collector.ts";
import { fileEvents } from "./file.ts";
import { fileEventVisibility, FilesManage, FilesRead, FilesWrite } from "./permissions.ts";
import { fileOperations } from "./operations.ts";

export {
  StoredFile,
  FileId,
  FileAttached,
  FileTooLarge,
  NotAttachable,
  QuotaExceeded,
  ShareExceeded,
} from "./file.ts";
export { formBoundary, type FormPart, readFormParts } from "#kernel/http/multipart.ts";
export { fileContent, serveFile, wholeFileHeaders } from "./content/serve.ts";
export { attachFile, type Attachment, deleteFile, insertFile } from "./file-rows.ts";
export {
  type FileAttachment,
  attachFiles,
  type PresentFile,
  readFiles,
  releaseFiles,
} from "./attach-files.ts";
export {
  FileHandle,
  type FileReference,
  findFileIds,
  isFileReference,
  REFERENCES_MAX,
  replaceReferences,
  toHandle,
} from "./handles/file-handle.ts";
export { copyFile, keepFile } from "./handles/keep-file.ts";
export { getHandleRow, openHandle } from "./handles/open-handle.ts";
export { RUN } from "./file.ts";
export {
  assertOwnFiles,
  discardFiles,
  type ReceivedFile,
  receiveFiles,
  type ReceivedFiles,
  releaseReceived,
} from "./handles/receive-files.ts";
export { encodeFiles, isMissingFile, type OpenReference } from "./handles/request-files.ts";
export {
  type KeepContent,
  receiveContent,
  RESPONSE_FORMS,
  type ResponseForm,
} from "./handles/response-files.ts";
export { linkPath } from "./link.ts";
export { FilesRead } from "./permissions.ts";
export { PICTURES, thumbnailPath } from "./thumbnail.ts";
export { findFileRow } from "./file-rows.ts";
export { type OpenedFile, openFile, openPartitionFile } from "./open-file.ts";
export {
  discard as discardContent,
  isBlobId,
  objectName,
  storeFile,
  type StoredContent,
} from "./store-file.ts";

/** One file store for all domains. */
export const files = domain({
  name: "files",
  summary: "Files: upload, attach and download.",
  permissions: [FilesRead, FilesWrite, FilesManage],
  events: fileEvents,
  operations: fileOperations,
  jobs: [collectFilesJob],
  contributions: [contribute(EventVisibilityPoint, fileEventVisibility)],
});
