/** The exact call behind the view, for every tool that can express it. */
import { useState } from 'react'
import type { ServiceRequest } from '../../client/connection.ts'
import { serviceUrl } from '../api/service.ts'
import { useChart } from '../charts/chart.tsx'
import { type Cube, chartRequest } from '../charts/cube.ts'
import { countRequest, facetProperties } from '../queries/facet-query.ts'
import { pageRequest } from '../queries/page-request.ts'
import { CopyButton } from '../ui/controls.tsx'
import { Segments, Select } from '../ui/fields.tsx'
import { DEFAULT_CHART } from '../view/chart-state.ts'
import { lostFilters } from '../view/lost-parts.ts'
import { nameOfPath } from '../view/paths.ts'
import type { TypeView } from '../view/type-view.ts'
import { toClientCode, toOsdkCode } from './client-code.ts'
import { toPandasCode, toPandasGroups, toPythonSdkCode } from './python-code.ts'
import { TOOLS, type Tool, toCurl } from './request-text.ts'

export interface RequestPanelProps {
  readonly of: TypeView
  readonly pageSize: number
}

export function RequestPanel({ of, pageSize }: RequestPanelProps) {
  const [tool, setTool] = useState<Tool>('curl')
  const countable = facetProperties(of.ontology, of.objectType)
  const [asked, setAsked] = useState<string>()
  const chart = of.view.layout === 'charts' ? of.view.chart : undefined
  // What is on the screen, until something else is chosen.
  const counted = chart === undefined ? (asked === CHART ? '' : asked) : (asked ?? CHART)
  const isLost = lostFilters(of.view, of).length > 0
  const { cube } = useChart(of, chart ?? DEFAULT_CHART, counted === CHART && !isLost)
  const { text, problem } = isLost
    ? { text: '', problem: 'The view has a filter that cannot be applied.' }
    : isNone(counted)
      ? textOf(of, tool, pageSize)
      : counted === CHART
        ? chartText(of, cube, tool)
        : { text: groupsText(countRequest(of, counted), tool), problem: undefined }
  return (
    <aside
      className="flex flex-none flex-col gap-3 w-110 p-3 border-l border-l-line bg-panel overflow-auto max-[900px]:w-full max-[900px]:border-l-0"
      aria-label="The request behind this view"
    >
      {(countable.length > 0 || chart !== undefined) && (
        <span className="flex gap-2 items-center">
          <span className="label" aria-hidden="true">
            Ask for
          </span>
          <Select
            label="Ask for"
            className="flex-1 min-w-0 h-8"
            value={counted ?? ''}
            options={[
              ...(chart === undefined ? [] : [[CHART, 'the chart'] as const]),
              ['', 'the objects'],
              ...countable.map(
                (name) => [name, `counts by ${nameOfPath(of.objectType, name)}`] as const,
              ),
            ]}
            onChange={setAsked}
          />
        </span>
      )}
      {isNone(counted) ? (
        <Segments label="Tool" options={TOOLS} value={tool} onChange={setTool} />
      ) : (
        <Segments
          label="Tool"
          options={GROUP_TOOLS}
          value={tool === 'pandas' ? tool : 'curl'}
          onChange={setTool}
        />
      )}
      {problem === undefined ? (
        <>
          <pre className="mono code-block flex-none">{text}</pre>
          <CopyButton text={text} />
        </>
      ) : (
        <p className="label">{problem}</p>
      )}
    </aside>
  )
}

/** Occurs in no API name. */
const CHART = '~chart'

function isNone(counted: string | undefined): counted is undefined | '' {
  return counted === undefined || counted === ''
}

function chartText(of: TypeView, cube: Cube | undefined, tool: Tool) {
  return cube === undefined
    ? { text: '', problem: 'The chart has no numbers yet.' }
    : { text: groupsText(chartRequest(of, cube), tool), problem: undefined }
}

/** What groups are asked for with. */
const GROUP_TOOLS = { curl: TOOLS.curl, pandas: TOOLS.pandas } as const

function groupsText(request: ServiceRequest, tool: Tool): string {
  return tool === 'pandas' ? toPandasGroups(request, serviceUrl()) : curlOf(request)
}

function textOf(of: TypeView, tool: Tool, pageSize: number) {
  const url = serviceUrl()
  try {
    if (tool === 'client') return { text: toClientCode(of, url), problem: undefined }
    if (tool === 'pandas') return { text: toPandasCode(of, url), problem: undefined }
    if (tool === 'pythonSdk') return { text: toPythonSdkCode(of, url), problem: undefined }
    if (tool === 'osdk') return { text: toOsdkCode(of, url), problem: undefined }
    const request = pageRequest(of, { pageSize })
    return { text: curlOf(request), problem: undefined }
  } catch (error) {
    return { text: '', problem: (error as Error).message }
  }
}

function curlOf(request: ServiceRequest): string {
  return toCurl(request, serviceUrl(), { isReadable: true })
}
