/** Services that keep files: S3, Dropbox, OneDrive, Nextcloud, Google Cloud Storage. */
import { type ParameterReader, request, type ServiceTable } from "../service-table.ts";

const property = (read: ParameterReader): string =>
  read.code("binaryPropertyName") ?? read.code("dataPropertyName") ?? '"data"';

/** The file of the item that is sent, or the text. */
const content =
  (flag: string, text: string, isUsual: boolean) =>
  (read: ParameterReader): string => {
    const isFile = (read.raw(flag) ?? isUsual) === true;
    const name = property(read);
    return isFile ? `n8n.file($item, ${name})` : read.text(text);
  };

const asFile = (read: ParameterReader): string => `n8n.answer(one.body, ${property(read)})`;

const objectPath = (read: ParameterReader): string => {
  const folder = read.code("additionalFields.parentFolderKey");
  const path = `"/" + ${read.text("bucketName")} + "/" + `;
  const name = `${read.text("fileName")} || n8n.file($item, ${property(read)}).name`;
  const before = folder === undefined ? "" : `n8n.text(${folder}).replace(/([^/])$/, "$1/") + `;
  return `${path}${before}encodeURI(${name})`;
};

const S3_TAKES =
  "additionalFields.acl additionalFields.grantRead additionalFields.grantReadAcp additionalFields.storageClass additionalFields.serverSideEncryption tagsUi additionalFields.requesterPays options.fetchOwner options.requesterPays";

const s3 = {
  preset: "s3",
  title: "S3",
  usual: "file.download bucket.create folder.create",
  takes: S3_TAKES,
  actions: [
    {
      on: "file.download",
      action: "request",
      input: {
        method: '="GET"',
        path: (read: ParameterReader) =>
          `"/" + ${read.text("bucketName")} + "/" + encodeURI(${read.text("fileKey")})`,
        response: '="file"',
      },
      items: asFile,
      takes: "binaryPropertyName",
    },
    {
      on: "file.upload",
      action: "request",
      input: {
        method: '="PUT"',
        path: objectPath,
        headers: (read: ParameterReader) =>
          read.raw("additionalFields.acl") === "publicRead"
            ? '{ "x-amz-acl": "public-read" }'
            : "{}",
        body: content("binaryData", "fileContent", true),
      },
      items: "=[{ success: true }]",
    },
    {
      on: "file.delete",
      action: "request",
      input: {
        method: '="DELETE"',
        path: (read: ParameterReader) =>
          `"/" + ${read.text("bucketName")} + "/" + encodeURI(${read.text("fileKey")})`,
      },
      items: "=[{ success: true }]",
    },
    {
      on: "file.getAll folder.getAll bucket.search",
      action: "request",
      input: request("GET /{bucketName}", {
        query: { "list-type": "=2", prefix: "options.folderKey" },
      }),
      items: "=n8n.s3Objects(one.body)",
      isList: true,
      notes: ["of a list, the first thousand are read"],
    },
    {
      on: "folder.create",
      action: "request",
      input: {
        method: '="PUT"',
        path: (read: ParameterReader) =>
          `"/" + ${read.text("bucketName")} + "/" + encodeURI(${read.text("folderName")}) + "/"`,
        body: '=""',
      },
      items: "=[{ success: true }]",
    },
    {
      on: "bucket.create",
      action: "request",
      input: request("PUT /{name}"),
      items: "=[{ success: true }]",
      takes: "additionalFields.region",
    },
    {
      on: "bucket.delete",
      action: "request",
      input: request("DELETE /{name}"),
      items: "=[{ success: true }]",
    },
  ],
} as const;

const DROPBOX_CONTENT = {
  preset: "dropbox_content",
  title: "Dropbox's files",
  base: "https://content.dropboxapi.com/2",
};

/** The argument of a call for bytes is a header, which is ASCII. */
const dropboxArgument = (more: string) => (read: ParameterReader) =>
  `{ "dropbox-api-arg": n8n.ascii({ path: ${read.text("path")}${more} }), "content-type": "application/octet-stream" }`;

const moved = { body: { from_path: "path", to_path: "toPath" } };

export const fileServices: ServiceTable = {
  awsS3: s3,
  s3,
  dropbox: {
    preset: "dropbox",
    title: "Dropbox",
    base: "https://api.dropboxapi.com/2",
    usual: "file.upload folder.create search.query",
    actions: [
      {
        on: "file.upload",
        action: "request",
        service: DROPBOX_CONTENT,
        input: {
          method: '="POST"',
          path: '="/files/upload"',
          headers: dropboxArgument(', mode: "overwrite"'),
          body: content("binaryData", "fileContent", false),
        },
      },
      {
        on: "file.download",
        action: "request",
        service: DROPBOX_CONTENT,
        input: {
          method: '="POST"',
          path: '="/files/download"',
          headers: dropboxArgument(""),
          response: '="file"',
        },
        items: asFile,
        takes: "binaryPropertyName",
      },
      {
        on: "file.copy folder.copy",
        action: "request",
        input: request("POST /files/copy_v2", moved),
        items: "=[one.body.metadata]",
      },
      {
        on: "file.move folder.move",
        action: "request",
        input: request("POST /files/move_v2", moved),
        items: "=[one.body.metadata]",
      },
      {
        on: "file.delete folder.delete",
        action: "request",
        input: request("POST /files/delete_v2", { body: { path: "path" } }),
        items: "=[one.body.metadata]",
      },
      {
        on: "folder.create",
        action: "request",
        input: request("POST /files/create_folder_v2", { body: { path: "path" } }),
        items: "=[one.body.metadata]",
      },
      {
        on: "folder.list",
        action: "request",
        input: request("POST /files/list_folder", {
          body: {
            path: (read) => `${read.text("path")}.replace(/^\\/$/, "")`,
            include_deleted: "filters.include_deleted|bool",
            include_mounted_folders: "filters.include_mounted_folders|bool",
            recursive: "filters.recursive|bool",
          },
        }),
        items: "=one.body.entries.map(({ '.tag': type, ...one }) => ({ ...one, type }))",
        isList: true,
        takes: "simple",
        notes: ["of a list, the first page is read"],
      },
      {
        on: "search.query",
        action: "request",
        input: request("POST /files/search_v2", { body: { query: "query" } }),
        items: "=one.body.matches.map(({ metadata }) => metadata.metadata)",
        isList: true,
        takes: "simple filters",
      },
    ],
  },
  microsoftOneDrive: {
    preset: "onedrive",
    title: "OneDrive",
    usual: "file.upload folder.getChildren",
    actions: [
      {
        on: "file.upload",
        action: "request",
        input: {
          method: '="PUT"',
          path: (read) =>
            `"/me/drive/items/" + encodeURIComponent(${read.text("parentId")} || "root") + ":/" + encodeURIComponent(${read.text("fileName")} || n8n.file($item, ${property(read)}).name) + ":/content"`,
          body: content("binaryData", "fileContent", false),
        },
        sample: { parentId: "p", fileName: "f", fileContent: "c" },
      },
      {
        on: "file.download",
        action: "request",
        input: request("GET /me/drive/items/{fileId}/content", { response: "file" }),
        items: asFile,
        takes: "binaryPropertyName",
      },
      { on: "file.get", action: "request", input: request("GET /me/drive/items/{fileId}") },
      {
        on: "file.search folder.search",
        action: "search_files",
        input: { q: "query" },
        items: "=one.items",
      },
      {
        on: "file.delete",
        action: "request",
        input: request("DELETE /me/drive/items/{fileId}"),
        items: "=[{ success: true }]",
      },
      {
        on: "folder.delete",
        action: "request",
        input: request("DELETE /me/drive/items/{folderId}"),
        items: "=[{ success: true }]",
      },
      {
        on: "file.rename folder.rename",
        action: "request",
        input: request("PATCH /me/drive/items/{itemId}", { body: { name: "newName" } }),
      },
      {
        on: "folder.create",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) =>
            `"/me/drive/items/" + encodeURIComponent(${read.text("options.parentFolderId")} || "root") + "/children"`,
          body: (read) => `{ name: ${read.text("name")}, folder: {} }`,
        },
        sample: { name: "n" },
      },
      {
        on: "folder.getChildren",
        action: "request",
        input: request("GET /me/drive/items/{folderId}/children"),
        items: "=one.body.value",
      },
      {
        on: "file.share folder.share",
        action: "request",
        input: {
          method: '="POST"',
          path: (read) =>
            `"/me/drive/items/" + encodeURIComponent(${read.source("fileId or folderId") ?? '""'}) + "/createLink"`,
          body: (read) => `{ type: ${read.text("type")}, scope: ${read.text("scope")} }`,
        },
        sample: { fileId: "f", type: "view", scope: "anonymous" },
      },
    ],
  },
  nextCloud: {
    preset: "nextcloud",
    title: "Nextcloud (WebDAV)",
    base: "https://YOUR-CLOUD/remote.php/webdav",
    usual: "file.upload folder.create",
    actions: [
      {
        on: "file.upload",
        action: "request",
        input: {
          method: '="PUT"',
          path: (read) => `"/" + encodeURI(${read.text("path")}.replace(/^\\//, ""))`,
          body: content("binaryDataUpload", "fileContent", true),
        },
        items: "=[{ success: true }]",
      },
      {
        on: "file.download",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) => `"/" + encodeURI(${read.text("path")}.replace(/^\\//, ""))`,
          response: '="file"',
        },
        items: asFile,
        takes: "binaryPropertyName",
      },
      {
        on: "file.delete folder.delete",
        action: "request",
        input: {
          method: '="DELETE"',
          path: (read) => `"/" + encodeURI(${read.text("path")}.replace(/^\\//, ""))`,
        },
        items: "=[{ success: true }]",
      },
    ],
  },
  googleCloudStorage: {
    preset: "google_cloud_storage",
    title: "Google Cloud Storage",
    base: "https://storage.googleapis.com",
    usual: "bucket.getAll object.getAll",
    takes:
      "createAcl createData createQuery encryptionHeaders getParameters listFilters projection",
    actions: [
      {
        on: "bucket.getAll",
        action: "request",
        input: request("GET /storage/v1/b", { query: { project: "projectId" } }),
        items: "=one.body.items ?? []",
        isList: true,
      },
      {
        on: "bucket.create",
        action: "request",
        input: request("POST /storage/v1/b", {
          query: { project: "projectId" },
          body: (read) => `{ name: ${read.text("bucketName")} }`,
        }),
        takes: "createBody",
        notes: ["a bucket is made where Google puts it"],
      },
      {
        on: "object.getAll",
        action: "request",
        input: request("GET /storage/v1/b/{bucketName}/o", {
          query: { prefix: "listFilters.prefix" },
        }),
        items: "=one.body.items ?? []",
        isList: true,
        notes: ["of a list, the first page is read"],
      },
      {
        on: "object.create",
        action: "request",
        input: request("POST /upload/storage/v1/b/{bucketName}/o", {
          query: { uploadType: '="media"', name: "objectName" },
          body: (read) => {
            if (read.raw("createFromBinary") === false) return read.text("createContent");
            return `n8n.file($item, ${read.code("createBinaryPropertyName") ?? '"data"'})`;
          },
        }),
      },
      {
        on: "object.get",
        action: "request",
        input: {
          method: '="GET"',
          path: (read) =>
            `"/storage/v1/b/" + ${read.text("bucketName")} + "/o/" + encodeURIComponent(${read.text("objectName")})`,
          query: (read) => (read.raw("alt") === "media" ? '{ alt: "media" }' : "{}"),
          response: (read) => (read.raw("alt") === "media" ? '"file"' : undefined),
        },
      },
      {
        on: "object.delete",
        action: "request",
        input: request("DELETE /storage/v1/b/{bucketName}/o/{objectName}"),
        items: "=[{ success: true }]",
      },
    ],
  },
};
