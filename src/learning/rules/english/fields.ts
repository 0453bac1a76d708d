/** Lines of business and departments; a part of a pattern. */
export const fields =
  '(?:it|hr|pr|ux|ui|qa|r&d|devops|finance|marketing|sales|tech|healthcare|health care|retail|education|academia|hospitality|construction|logistics|insurance|banking|advertising|publishing|real estate|consulting|law|medicine|engineering|manufacturing|software|cybersecurity|security|agriculture|government|media|journalism|film|fashion|tourism|biotech|pharma|fintech|design|research|customer (?:service|support|success)|human resources|public relations|procurement|supply chain|data science|machine learning|ai|architecture|aviation|automotive|energy|renewables|telecoms?|gaming|game development|web development|social work|childcare|operations|accounting|tv|television|theatre|politics)'

export const isField = (value: string): boolean => new RegExp(`^${fields}$`, 'i').test(value)
