// Holds a dashboard file against the types that Grafana publishes: node check.mjs FILE. Ends with 1 and says where it does not fit.
//
// The JSON becomes TypeScript literals, one constant a panel, so that a name that Grafana does not know and a value that
// it does not take are both errors. Enums of strings are opened to the strings a JSON file has.
import { readFileSync } from 'node:fs'
import { argv, exit, stderr } from 'node:process'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const COMPOSABLE = '@grafana/schema/dist/esm/raw/composable'
const PANELS = {
  stat: { module: `${COMPOSABLE}/stat/panelcfg/x/StatPanelCfg_types.gen`, custom: 'Record<string, never>' },
  timeseries: { module: `${COMPOSABLE}/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen`, custom: 'timeseries.FieldConfig' },
  table: { module: `${COMPOSABLE}/table/panelcfg/x/TablePanelCfg_types.gen`, custom: 'table.FieldConfig' }
}
const TYPES = `
import type * as grafana from '@grafana/schema'
${Object.entries(PANELS).map(([kind, { module }]) => `import type * as ${kind} from '${module}'`).join('\n')}
type Json<T> = T extends string ? \`\${T}\` : T extends number ? (number extends T ? T : \`\${T}\` extends \`\${infer N extends number}\` ? N : T)
  : T extends (infer Item)[] ? Json<Item>[] : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T
type Query = grafana.DataQuery & { datasource: grafana.DataSourceRef, rawQuery: true, query: string, alias?: string, resultFormat: 'time_series' | 'table' }
type Defaults<Custom> = Omit<grafana.FieldConfig, 'custom'> & { custom?: Custom }
type Panel<Options, Custom> = Omit<grafana.Panel, 'options' | 'fieldConfig' | 'targets'> & {
  options: Options, targets: Query[], fieldConfig: Omit<grafana.FieldConfigSource, 'defaults'> & { defaults: Defaults<Custom> }
}
type AnnotationQuery = grafana.DataQuery & { fromAnnotations: true, query: string, textColumn?: string, titleColumn?: string, tagsColumn?: string }
type Dashboard = Omit<grafana.Dashboard, 'panels' | 'annotations'> & { annotations: { list: grafana.AnnotationQuery<AnnotationQuery>[] } }
`

const { panels, ...dashboard } = JSON.parse(readFileSync(argv[2], 'utf8'))
const constants = panels.map((panel) => [`panel_${panel.id}`, panelType(panel), panel])
const source = TYPES + [['dashboard', 'Json<Dashboard>', dashboard], ...constants]
  .map(([name, type, value]) => `export const ${name}: ${type} = ${JSON.stringify(value, null, 1)}\n`)
  .join('')
const faults = diagnostics(source)
faults.forEach((fault) => stderr.write(`${fault}\n`))
exit(faults.length === 0 ? 0 : 1)

function panelType (panel) {
  if (!(panel.type in PANELS)) return 'never'
  return `Json<Panel<${panel.type}.Options, ${PANELS[panel.type].custom}>>`
}

// What TypeScript says of a source, as if it were a file of this folder.
function diagnostics (source) {
  const options = {
    strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler
  }
  const name = fileURLToPath(new URL('dashboard.ts', import.meta.url))
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists, readFile } = host
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(name, source, options.target) : getSourceFile.call(host, file, ...rest)
  host.fileExists = (file) => file === name || fileExists.call(host, file)
  host.readFile = (file) => (file === name ? source : readFile.call(host, file))
  return ts.getPreEmitDiagnostics(ts.createProgram([name], options, host)).map((fault) => {
    const text = ts.flattenDiagnosticMessageText(fault.messageText, '\n  ')
    if (fault.file === undefined || fault.start === undefined) return text
    const line = fault.file.getLineAndCharacterOfPosition(fault.start).line
    return `${fault.file.text.split('\n')[line].trim()}: ${text}`
  })
}
