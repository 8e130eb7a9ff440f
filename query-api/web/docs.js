// The documentation of the API: Scalar over /openapi.json. It reaches nothing but this service: the page's policy allows no other address.
globalThis.Scalar.createApiReference('#api', {
  url: 'openapi.json',
  layout: 'modern',
  theme: 'default',
  withDefaultFonts: false,
  documentDownloadType: 'both',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: {
    c: true,
    clojure: true,
    csharp: ['restsharp'],
    java: ['asynchttp', 'nethttp', 'unirest'],
    objc: true,
    ocaml: true,
    r: true,
  },
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
});
